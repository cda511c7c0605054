// The table behind data/catalog.h. Row counts are those of the published sets, or of the subsets in
// the prepared subsets: folders of files below 30 MB drawn from the published sets.
#include "data/catalog/catalog.h"

#include <utility>

namespace headroom {
namespace {

constexpr DataPart train = DataPart::train;
constexpr DataPart validation = DataPart::validation;
constexpr DataPart test = DataPart::test;

constexpr const char* shared = "prepared subset";
constexpr const char* original = "original download";

std::vector<int64_t> each(size_t classes, int64_t rows) {
  return std::vector<int64_t>(classes, rows);
}

DataLayout class_csv(const char* title, const std::string& classes_file, int first_class,
                     std::vector<PartLayout> parts) {
  return {title, FileFormat::class_csv, std::move(parts), classes_file, first_class, {}};
}

DataLayout layout(const char* title, FileFormat format, std::vector<PartLayout> parts,
                  std::vector<std::string> labels = {}) {
  return {title, format, std::move(parts), "", 1, std::move(labels)};
}

CatalogEntry agnews() {
  return {"agnews",
          Task::classify,
          "news headlines and leads in 4 topics",
          "research and other non-commercial use (readme.txt)",
          {class_csv(shared, "ag_news/classes.txt", 1,
                     {{train,
                       {"ag_news/train.csv", "ag_news/train_extra.csv"},
                       35773,
                       {8997, 8950, 8885, 8941}},
                      {test, {"ag_news/test.csv"}, 7600, each(4, 1900)}}),
           class_csv(original, "ag_news_csv/classes.txt", 1,
                     {{train, {"ag_news_csv/train.csv"}, 120000, each(4, 30000)},
                      {test, {"ag_news_csv/test.csv"}, 7600, each(4, 1900)}})},
          "https://huggingface.co/datasets/fancyzhx/ag_news"};
}

CatalogEntry dbpedia() {
  return {"dbpedia",
          Task::classify,
          "first sentences of Wikipedia articles in 14 kinds of things",
          "CC BY-SA and GNU FDL (readme.txt)",
          {class_csv(shared, "dbpedia14_subset/classes.txt", 0,
                     {{train, {"dbpedia14_subset/train.csv"}, 11200, each(14, 800)},
                      {test, {"dbpedia14_subset/test.csv"}, 2800, each(14, 200)}}),
           class_csv(original, "dbpedia_csv/classes.txt", 1,
                     {{train, {"dbpedia_csv/train.csv"}, 560000, each(14, 40000)},
                      {test, {"dbpedia_csv/test.csv"}, 70000, each(14, 5000)}})},
          "https://huggingface.co/datasets/fancyzhx/dbpedia_14"};
}

// An archive holds both parts; an unpacked directory has a folder for each.
DataLayout review_archive(const char* title, const std::string& file) {
  return layout(title, FileFormat::review_tree,
                {{train, {file}, 25000, each(2, 12500)}, {test, {file}, 25000, each(2, 12500)}},
                {"neg", "pos"});
}

DataLayout review_folder(const std::string& folder) {
  return layout(original, FileFormat::review_tree,
                {{train, {folder + "/train"}, 25000, each(2, 12500)},
                 {test, {folder + "/test"}, 25000, each(2, 12500)}},
                {"neg", "pos"});
}

CatalogEntry imdb() {
  return {
      "imdb",
      Task::classify,
      "film reviews, negative or positive",
      "none stated; cite Maas et al. 2011",
      {review_archive(shared, "imdb/aclImdb_labelled.tar"),
       review_archive(original, "aclImdb_v1.tar"), review_archive(original, "imdb/aclImdb_v1.tar"),
       review_folder("aclImdb"), review_folder("imdb/aclImdb")},
      "https://ai.stanford.edu/~amaas/data/sentiment/"};
}

const std::vector<int64_t>& newsgroup_train_rows() {
  static const std::vector<int64_t> rows = {480, 584, 591, 590, 578, 593, 585, 594, 598, 597,
                                            600, 595, 591, 594, 593, 599, 546, 564, 465, 377};
  return rows;
}

const std::vector<int64_t>& newsgroup_test_rows() {
  static const std::vector<int64_t> rows = {319, 389, 394, 392, 385, 395, 390, 396, 398, 397,
                                            399, 396, 393, 396, 394, 398, 364, 376, 310, 251};
  return rows;
}

DataLayout newsgroups(const char* title, const std::string& train_file,
                      const std::string& test_file) {
  return layout(title, FileFormat::newsgroup_tree,
                {{train, {train_file}, 11314, newsgroup_train_rows()},
                 {test, {test_file}, 7532, newsgroup_test_rows()}});
}

CatalogEntry newsgroups20() {
  const std::string archive = "20news-bydate.tar";
  return {
      "newsgroups20",
      Task::classify,
      "Usenet posts with headers in 20 newsgroups, split by date",
      "none stated",
      {newsgroups(shared, "newsgroups20/" + archive, "newsgroups20/" + archive),
       newsgroups(original, archive, archive),
       newsgroups(original, "20news-bydate-train", "20news-bydate-test"),
       newsgroups(original, "newsgroups20/20news-bydate-train", "newsgroups20/20news-bydate-test")},
      "http://qwone.com/~jason/20Newsgroups/"};
}

DataLayout banking(const char* title, const std::string& folder) {
  return layout(title, FileFormat::banking_csv,
                {{train,
                  {folder + "/train.csv"},
                  10003,
                  {162, 159, 110, 126, 87,  127, 171, 181, 156, 157, 129, 59,  153, 112, 139, 112,
                   187, 168, 167, 61,  177, 160, 122, 86,  35,  129, 153, 173, 133, 182, 121, 121,
                   121, 112, 118, 166, 137, 126, 97,  106, 129, 98,  82,  121, 120, 105, 159, 143,
                   149, 148, 115, 95,  169, 161, 129, 108, 111, 114, 114, 145, 97,  146, 103, 175,
                   172, 113, 171, 128, 102, 104, 113, 126, 41,  135, 121, 180, 163}},
                 {test, {folder + "/test.csv"}, 3080, each(77, 40)}});
}

CatalogEntry banking77() {
  return {"banking77",
          Task::classify,
          "questions to a bank in 77 intents",
          "CC BY 4.0",
          {banking(shared, "banking77"), banking(original, "banking_data")},
          "https://github.com/PolyAI-LDN/task-specific-datasets"};
}

DataLayout sick_files(const char* title, const std::string& folder) {
  return layout(title, FileFormat::sick_tsv,
                {{train, {folder + "SICK_train.txt"}, 4500, {665, 1299, 2536}},
                 {validation, {folder + "SICK_trial.txt"}, 500, {74, 144, 282}},
                 {test, {folder + "SICK_test_annotated.txt"}, 4927, {720, 1414, 2793}}});
}

CatalogEntry sick() {
  return {"sick",
          Task::pair,
          "pairs of sentences: entailment, contradiction or neutral",
          "CC BY-NC-SA 3.0 (readme.txt)",
          {sick_files(shared, "sick/"), sick_files(original, "SICK/"), sick_files(original, "")},
          "https://zenodo.org/records/2787612"};
}

CatalogEntry snli() {
  const auto parallel = [](const std::string& part) -> std::vector<std::string> {
    return {"snli_devtest/s1." + part, "snli_devtest/s2." + part, "snli_devtest/labels." + part};
  };
  const std::string file = "snli_1.0/snli_1.0_";
  const std::vector<int64_t> dev_rows = {3278, 3329, 3235};
  const std::vector<int64_t> test_rows = {3237, 3368, 3219};
  return {"snli",
          Task::pair,
          "image captions and hypotheses: entailment, contradiction or neutral (in the prepared "
          "subset the "
          "official dev part is the training part)",
          "CC BY-SA 4.0",
          {layout(shared, FileFormat::parallel_pairs,
                  {{train, parallel("dev"), 9842, dev_rows},
                   {test, parallel("test"), 9824, test_rows}}),
           layout(original, FileFormat::snli_json,
                  {{train, {file + "train.jsonl"}, 549367, {183187, 183416, 182764}},
                   {validation, {file + "dev.jsonl"}, 9842, dev_rows},
                   {test, {file + "test.jsonl"}, 9824, test_rows}})},
          "https://nlp.stanford.edu/projects/snli/"};
}

CatalogEntry yelp() {
  const auto files = [](const std::string& stem) -> std::vector<std::string> {
    return {stem + ".0", stem + ".1"};
  };
  const std::string shared_stem = "yelp_sentences/sentiment.";
  const std::string stem = "yelp/sentiment.";
  const std::vector<int64_t> dev_rows = {25278, 38205};
  const std::vector<int64_t> test_rows = {50278, 76392};
  const std::vector<std::string> labels = {"negative", "positive"};
  return {
      "yelp",
      Task::classify,
      "sentences of restaurant reviews, negative or positive (in the prepared subset the release's "
      "test part is the training part and dev the test part)",
      "Yelp's own terms; repository Apache-2.0",
      {layout(shared, FileFormat::label_files,
              {{train, files(shared_stem + "test"), 126670, test_rows},
               {test, files(shared_stem + "dev"), 63483, dev_rows}},
              labels),
       layout(original, FileFormat::label_files,
              {{train, files(stem + "train"), 444101, {176787, 267314}},
               {validation, files(stem + "dev"), 63483, dev_rows},
               {test, files(stem + "test"), 126670, test_rows}},
              labels)},
      "https://github.com/shentianxiao/language-style-transfer"};
}

CatalogEntry mnist() {
  const auto folder = [](const char* title, const std::string& name) {
    return layout(
        title, FileFormat::idx_images,
        {{train, {name + "/train-images-idx3-ubyte", name + "/train-labels-idx1-ubyte"}, 60000, {}},
         {test, {name + "/t10k-images-idx3-ubyte", name + "/t10k-labels-idx1-ubyte"}, 10000, {}}});
  };
  return {"mnist",
          Task::image,
          "28 x 28 images of handwritten digits",
          "none stated",
          {folder(shared, "mnist"), folder(original, "MNIST/raw")},
          "http://yann.lecun.com/exdb/mnist/"};
}

CatalogEntry cifar10() {
  const std::string subset = "cifar10_subset/";
  const std::string whole = "cifar-10-batches-bin/";
  const std::vector<std::string> labels = {"airplane", "automobile", "bird",  "cat",  "deer",
                                           "dog",      "frog",       "horse", "ship", "truck"};
  return {
      "cifar10",
      Task::image,
      "32 x 32 colour images of 10 kinds of things",
      "none stated",
      {layout(shared, FileFormat::cifar_images,
              {{train, {subset + "data_batch_1.bin", subset + "data_batch_2.bin"}, 20000, {}},
               {test, {subset + "test_batch_first1000.bin"}, 1000, {}}},
              labels),
       layout(original, FileFormat::cifar_images,
              {{train,
                {whole + "data_batch_1.bin", whole + "data_batch_2.bin", whole + "data_batch_3.bin",
                 whole + "data_batch_4.bin", whole + "data_batch_5.bin"},
                50000,
                {}},
               {test, {whole + "test_batch.bin"}, 10000, {}}},
              labels)},
      "https://www.cs.toronto.edu/~kriz/cifar.html"};
}

CatalogEntry multi30k() {
  const auto folder = [](const char* title, const std::string& name) {
    const auto files = [&](const std::string& part) -> std::vector<std::string> {
      return {name + part + ".en", name + part + ".de"};
    };
    return layout(title, FileFormat::parallel_text,
                  {{train, files("train"), 29000, {}},
                   {validation, files("val"), 1014, {}},
                   {test, files("test_2016_flickr"), 1000, {}}});
  };
  return {"multi30k",
          Task::translate,
          "image captions in English and German",
          "none stated; captions derive from Flickr30k (research use)",
          {folder(shared, "multi30k_en_de/"), folder(original, "data/task1/raw/")},
          "https://github.com/multi30k/dataset"};
}

CatalogEntry shakespeare() {
  return {"shakespeare",
          Task::lm,
          "40,000 lines of Shakespeare, by character",
          "public domain",
          {layout(shared, FileFormat::split_text,
                  {{train, {"tinyshakespeare/input.txt"}, 0, {}},
                   {validation, {"tinyshakespeare/input.txt"}, 0, {}},
                   {test, {"tinyshakespeare/input.txt"}, 0, {}}})},
          "https://github.com/karpathy/char-rnn"};
}

CatalogEntry wikitext2() {
  const std::string subset = "wikitext2_valid_test/";
  const std::string whole = "wikitext-2/wiki.";
  return {"wikitext2",
          Task::lm,
          "Wikipedia articles by word (in the prepared subset the official validation part is the "
          "training "
          "part)",
          "CC BY-SA",
          {layout(shared, FileFormat::plain_text,
                  {{train, {subset + "valid.txt"}, 0, {}}, {test, {subset + "test.txt"}, 0, {}}}),
           layout(original, FileFormat::plain_text,
                  {{train, {whole + "train.tokens"}, 0, {}},
                   {validation, {whole + "valid.tokens"}, 0, {}},
                   {test, {whole + "test.tokens"}, 0, {}}})},
          "https://huggingface.co/datasets/Salesforce/wikitext"};
}

CatalogEntry conll2003() {
  return {"conll2003",
          Task::tag,
          "Reuters news with the names of persons, places, organisations and others",
          "none stated; the text is Reuters', for research",
          {layout(shared, FileFormat::conll_columns,
                  {{train, {"conll2003/train.txt"}, 14041, {}},
                   {validation, {"conll2003/valid.txt"}, 3250, {}},
                   {test, {"conll2003/test.txt"}, 3453, {}}}),
           layout(original, FileFormat::conll_columns,
                  {{train, {"conll2003/eng.train"}, 14041, {}},
                   {validation, {"conll2003/eng.testa"}, 3250, {}},
                   {test, {"conll2003/eng.testb"}, 3453, {}}})},
          "https://www.clips.uantwerpen.be/conll2003/ner/"};
}

CatalogEntry stsb() {
  const auto folder = [](const char* title, const std::string& name) {
    return layout(title, FileFormat::scored_tsv,
                  {{train, {name + "/sts-train.csv"}, 5749, {}},
                   {validation, {name + "/sts-dev.csv"}, 1500, {}},
                   {test, {name + "/sts-test.csv"}, 1379, {}}});
  };
  return {"stsb",
          Task::embed,
          "pairs of sentences and how alike they are, 0 to 5 (STS benchmark)",
          "none stated; parts have licences of their own",
          {folder(shared, "stsb"), folder(original, "stsbenchmark")},
          "http://ixa2.si.ehu.eus/stswiki/index.php/STSbenchmark"};
}

CatalogEntry goemotions() {
  DataLayout files = layout(shared, FileFormat::label_ids_tsv,
                            {{train, {"goemotions/train.tsv"}, 43410, {}},
                             {validation, {"goemotions/dev.tsv"}, 5426, {}},
                             {test, {"goemotions/test.tsv"}, 5427, {}}});
  files.classes_file = "goemotions/labels.txt";
  return {"goemotions",
          Task::multilabel,
          "comments with any of 28 emotions",
          "Apache-2.0",
          {files},
          "https://github.com/google-research/google-research/tree/master/goemotions"};
}

CatalogEntry cranfield() {
  const std::vector<std::string> files = {"cranfield/cranqrel.trec.txt", "cranfield/cran.qry.xml",
                                          "cranfield/cran.all.1400.xml"};
  return {"cranfield",
          Task::rerank,
          "1,400 abstracts on aerodynamics and 225 queries (1 to 150 to train, the others to test)",
          "none stated",
          {layout(shared, FileFormat::trec_xml, {{train, files, 0, {}}, {test, files, 0, {}}})},
          "http://ir.dcs.gla.ac.uk/resources/test_collections/cran/"};
}

}  // namespace

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = {
      agnews(),    dbpedia(),   imdb(),  newsgroups20(), banking77(), sick(),
      snli(),      yelp(),      mnist(), cifar10(),      multi30k(),  shakespeare(),
      wikitext2(), conll2003(), stsb(),  goemotions(),   cranfield()};
  return entries;
}

}  // namespace headroom
