#include "engine/tags/entities.h"

#include <algorithm>
#include <numeric>

namespace headroom {
namespace {

// What a label says of its word.
struct Tag {
  std::string_view type;  // empty: outside
  bool begins = false;    // an entity, whatever came before
  bool ends = false;      // the entity with this word
};

bool has_prefix(std::string_view label, std::string_view letters) {
  return label.size() > 2 && label[1] == '-' && letters.find(label[0]) != std::string_view::npos;
}

// Letters for the end of an entity and for one of a single word mean that only where every label
// has such a letter: "S-Bahn" alone is a name.
bool marks_ends(const std::vector<std::string>& labels) {
  bool found = false;
  for (const std::string& label : labels) {
    if (label != "O" && !has_prefix(label, "BIESLU")) return false;
    found = found || has_prefix(label, "ESLU");
  }
  return found;
}

std::vector<Tag> read_tags(const std::vector<std::string>& labels) {
  const bool ends = marks_ends(labels);
  std::vector<Tag> tags;
  for (const std::string_view label : labels) {
    if (label == "O") {
      tags.push_back({});
    } else if (!has_prefix(label, ends ? "BIESLU" : "BI")) {
      tags.push_back({label});
    } else {
      const char letter = label[0];
      tags.push_back({label.substr(2), letter == 'B' || letter == 'S' || letter == 'U',
                      letter != 'B' && letter != 'I'});
    }
  }
  return tags;
}

struct Word {
  int64_t start = 0;
  int64_t end = 0;
  size_t label = 0;
  double score = 0;
};

void set_label(std::span<const double> scores, Word& word) {
  word.label = static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  word.score = scores[word.label];
}

Word make_word(std::span<const ScoredPiece> pieces, Aggregation aggregation) {
  Word word{pieces.front().start, pieces.back().end};
  if (aggregation == Aggregation::average) {
    std::vector<double> mean(pieces.front().scores.size());
    for (const ScoredPiece& piece : pieces) {
      for (size_t i = 0; i < mean.size(); ++i) {
        mean[i] += piece.scores[i] / static_cast<double>(pieces.size());
      }
    }
    set_label(mean, word);
    return word;
  }
  set_label(pieces.front().scores, word);
  for (const ScoredPiece& piece : pieces.subspan(1)) {
    Word other = word;
    set_label(piece.scores, other);
    if (aggregation == Aggregation::max && other.score > word.score) word = other;
  }
  return word;
}

std::vector<Word> make_words(std::span<const ScoredPiece> pieces, Aggregation aggregation) {
  std::vector<Word> words;
  for (size_t begin = 0; begin < pieces.size();) {
    size_t end = begin + 1;
    while (aggregation != Aggregation::simple && end < pieces.size() && pieces[end].continues) {
      ++end;
    }
    words.push_back(make_word(pieces.subspan(begin, end - begin), aggregation));
    begin = end;
  }
  return words;
}

}  // namespace

std::vector<size_t> character_starts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

std::vector<Entity> find_entities(std::string_view text, std::span<const ScoredPiece> pieces,
                                  const std::vector<std::string>& labels, Aggregation aggregation) {
  const std::vector<Tag> tags = read_tags(labels);
  const std::vector<size_t> starts = character_starts(text);
  const std::vector<Word> words = make_words(pieces, aggregation);
  std::vector<Entity> entities;
  for (size_t begin = 0; begin < words.size();) {
    const Tag& first = tags[words[begin].label];
    size_t end = begin + 1;
    double sum = words[begin].score;
    while (end < words.size()) {
      const Tag& tag = tags[words[end].label];
      if (tag.type != first.type || tag.begins || tags[words[end - 1].label].ends) break;
      sum += words[end++].score;
    }
    if (!first.type.empty()) {
      const Word& last = words[end - 1];
      const size_t from = starts[static_cast<size_t>(words[begin].start)];
      const size_t to = starts[static_cast<size_t>(last.end)];
      entities.push_back({std::string(text.substr(from, to - from)), std::string(first.type),
                          sum / static_cast<double>(end - begin), words[begin].start, last.end});
    }
    begin = end;
  }
  return entities;
}

}  // namespace headroom
