// The keys of a record's JSON, one list per struct: record.cpp reads and writes by them. A visitor
// has must(key, field), and may(key, field) for what a record can lack.
#pragma once

#include <concepts>
#include <type_traits>

#include "experiments/record/record.h"

namespace headroom::experiments {

// Numbers that are written without decimals.
template <typename Number>
struct Count {
  Number& value;
};
template <typename Number>
Count(Number&) -> Count<Number>;

// Sizes: at least one.
template <typename Number>
struct Size {
  Number& value;
};
template <typename Number>
Size(Number&) -> Size<Number>;

// `T` is the struct or, for a writer, the const struct.
template <typename T, typename Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

void visit(auto& v, Is<Point> auto& p) {
  v.must("budget", p.budget);
  v.may("accuracy", p.accuracy);
  v.may("loss", p.loss);
  v.may("bleu", p.bleu);
  v.may("s_mean", p.s_mean);
  v.may("s_layers", p.s_layers);
  v.may("heads_layers", p.heads_layers);
  v.may("active_heads", p.active_heads);
  v.may("active_ffn", p.active_ffn);
  v.may("gate_mass", p.gate_mass);
  v.may("macs_fraction", p.macs_fraction);
  v.may("attention_macs", p.attention_macs);
  v.may("model_macs", p.model_macs);
  v.may("training_macs", p.training_macs);
  v.may("published_fraction", p.published_fraction);
  v.may("parameters", Count{p.parameters});
  v.may("attention_parameters", Count{p.attention_parameters});
  v.may("bytes", Count{p.bytes});
  v.may("ms", p.ms);
  v.may("share", p.share);
  v.may("correct", p.correct);
}

void visit(auto& v, Is<GatesRecord> auto& g) {
  v.must("offset", g.offset);
  v.must("slope", g.slope);
}

void visit(auto& v, Is<MassPoint> auto& m) {
  v.must("budget", m.budget);
  v.must("mass", m.mass);
}

void visit(auto& v, Is<WarmStart> auto& w) {
  v.must("steps", w.steps);
  v.must("validation", w.validation);
}

void visit(auto& v, Is<FastTextSettings> auto& s) {
  v.must("rate", s.rate);
  v.must("epochs", s.epochs);
  v.must("word_ngrams", s.word_ngrams);
}

void visit(auto& v, Is<ClassShares> auto& c) {
  v.must("mean", c.mean);
  v.must("deviation", c.deviation);
}

void visit(auto& v, Is<Correlation> auto& c) {
  v.must("value", c.value);
  v.must("low", c.low);
  v.must("high", c.high);
}

void visit(auto& v, Is<Third> auto& t) {
  v.must("s_mean", t.s_mean);
  v.may("heads", t.heads);
  v.may("tokens", t.tokens);
}

void visit(auto& v, Is<Difficulty> auto& d) {
  v.must("share_and_loss", d.share_and_loss);
  v.may("heads_and_loss", d.heads_and_loss);
  v.may("share_and_length", d.share_and_length);
  v.must("share_and_loss_at_equal_length", d.share_and_loss_at_equal_length);
  v.must("thirds", d.thirds);
}

void visit(auto& v, Is<PeakMemory> auto& m) {
  v.may("rows", m.rows);
  v.may("tokens", m.tokens);
  v.must("dense_bytes", Count{m.dense_bytes});
  v.must("chosen_bytes", Count{m.chosen_bytes});
  v.may("all_heads_bytes", Count{m.all_heads_bytes});
}

void visit(auto& v, Is<Overrides> auto& o) {
  v.may("fixed_share", o.fixed_share);
  v.may("random_heads", o.random_heads);
}

void visit(auto& v, Is<HeadMap> auto& h) {
  v.must("head", h.head);
  v.must("q", h.q);
  v.must("chosen", h.chosen);
  v.must("shares", h.shares);
}

void visit(auto& v, Is<LayerMaps> auto& l) {
  v.must("s", l.s);
  v.must("heads", l.heads);
}

void visit(auto& v, Is<AttentionMaps> auto& m) {
  v.must("tokens", m.tokens);
  v.must("layers", m.layers);
}

void visit(auto& v, Is<ArmRecord> auto& a) {
  v.may("commit", a.commit);
  v.may("note", a.note);
  v.may("steps", a.steps);
  v.may("steps_each", a.steps_each);
  v.may("best_step", a.best_step);
  v.may("heads", a.heads);
  v.may("rows", a.rows);
  v.may("parameters", a.parameters);
  v.may("attention_parameters", a.attention_parameters);
  v.may("rate", a.rate);
  v.may("share", a.share);
  v.may("share_weight", a.share_weight);
  v.may("warm_start", a.warm_start);
  v.may("validation", a.validation);
  v.must("points", a.points);
  v.may("gates", a.gates);
  v.may("nestedness", a.nestedness);
  v.may("mass", a.mass);
  v.may("order", a.order);
  v.may("settings", a.settings);
  v.may("curve", a.curve);
  v.may("by_class", a.by_class);
  v.may("difficulty", a.difficulty);
  v.may("memory", a.memory);
  v.may("overrides", a.overrides);
  v.may("maps", a.maps);
  v.may("seconds", a.seconds);
}

void visit(auto& v, Is<ShapeRecord> auto& s) {
  v.must("layers", Size{s.layers});
  v.must("width", Size{s.width});
  v.must("heads", Size{s.heads});
  v.must("ffn", Size{s.ffn});
  v.must("max_tokens", Size{s.max_tokens});
  v.must("vocabulary", Size{s.vocabulary});
  v.must("labels", s.labels);  // 0: it generates text
  v.may("ffn_group", s.ffn_group);
}

void visit(auto& v, Is<MachineRecord> auto& m) {
  v.must("cpu", m.cpu);
  v.may("cores", m.cores);
  v.may("memory_gib", m.memory_gib);
  v.may("system", m.system);
  v.may("device", m.device);
  v.may("gpu", m.gpu);
  v.may("threads", m.threads);
  v.may("torch", m.torch);
}

void visit(auto& v, Is<RowCounts> auto& r) {
  v.fresh_or("train", r.train);
  v.must("validation", r.validation);
  v.must("test", r.test);
}

void visit(auto& v, Is<Record> auto& r) {
  v.may("experiment", r.experiment);
  v.must("task", r.task);
  v.must("seed", r.seed);
  v.may("date", r.date);
  v.may("commit", r.commit);
  v.may("machine", r.machine);
  v.may("start", r.start);
  v.may("options", r.options);
  v.may("default_arm", r.default_arm);
  v.may("rows", r.rows);
  v.may("shape", r.shape);
  v.may("recipe", r.recipe);
  v.may("steps", r.steps);
  v.may("labels", r.labels);
  v.must("arms", r.arms);
}

}  // namespace headroom::experiments
