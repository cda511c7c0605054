#include "data/formats/judged.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "data/formats/json_lines.h"
#include "data/rows.h"
#include "text/unicode/utf8.h"
#include "text/vocabulary.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

NamedText json_text(const std::string& line, const RowOrigin& origin) {
  const Json object = parse_json(line, ErrorCode::bad_data, origin.describe());
  const JsonFields fields(object, ErrorCode::bad_data, origin.describe());
  const char* key = fields.has("_id") ? "_id" : "id";
  const std::string title = fields.text_or("title", "");
  if (!fields.has(key)) fields.fail("id", "is missing");
  const Json& id = object.at(key);
  return {id.is_string() ? id.get<std::string>() : id.dump(),
          title.empty() ? fields.text("text") : title + " " + fields.text("text")};
}

std::vector<NamedText> read_texts(const fs::path& path) {
  InputStream input(path);
  LineReader lines(input);
  std::vector<NamedText> texts;
  for (std::string line; lines.next(line);) {
    if (is_blank(line)) continue;
    const RowOrigin origin = {input.name(), lines.line_number()};
    if (find_invalid_utf8(line)) require_utf8(line, "load data", origin.describe());
    if (line[0] == '{') {
      texts.push_back(json_text(line, origin));
      continue;
    }
    const size_t tab = line.find('\t');
    if (tab == std::string::npos)
      fail_row(origin, "found no tab, expected an id, a tab and a text");
    texts.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return texts;
}

// Numbers of texts by id. An id that comes twice is an error.
StringMap<int32_t> numbers_of(const std::vector<NamedText>& texts, const fs::path& path) {
  StringMap<int32_t> numbers;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!numbers.emplace(texts[i].id, static_cast<int32_t>(i)).second) {
      fail_row({path.native(), 0}, fmt::format("the id \"{}\" comes twice", texts[i].id));
    }
  }
  return numbers;
}

struct Judgement {
  std::string query, document;
  double grade = 0;
};

Judgement parse_judgement(const std::string& line, const RowOrigin& origin) {
  std::vector<std::string> fields;
  for (size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  const std::string& last = fields.empty() ? line : fields.back();
  double grade = 0;
  const auto [stop, problem] = std::from_chars(last.data(), last.data() + last.size(), grade);
  const bool number = problem == std::errc() && stop == last.data() + last.size();
  if ((fields.size() != 4 && fields.size() != 3) || !number) {
    fail_row(origin, "expected \"query 0 document grade\" or \"query document grade\"");
  }
  return {fields[0], fields[fields.size() - 2], grade};
}

// `strict`: judgements of unknown documents are an error. Cranfield has some.
void read_grades(const fs::path& path, const StringMap<int32_t>& queries,
                 const StringMap<int32_t>& documents, bool strict, JudgedCollection& all) {
  InputStream input(path);
  LineReader lines(input);
  all.grades.resize(all.queries.size());
  for (std::string line; lines.next(line);) {
    const RowOrigin origin = {input.name(), lines.line_number()};
    if (is_blank(line)) continue;
    if (origin.line == 1 && line.starts_with("query-id")) continue;  // BEIR's header
    const Judgement one = parse_judgement(line, origin);
    const auto query = queries.find(one.query);
    const auto document = documents.find(one.document);
    if (query == queries.end() || document == documents.end()) {
      if (!strict) continue;
      fail_row(origin, query == queries.end()
                           ? fmt::format("unknown query \"{}\"", one.query)
                           : fmt::format("unknown document \"{}\"", one.document));
    }
    all.grades[static_cast<size_t>(query->second)][document->second] = one.grade;
  }
}

// What stands between <name> and </name> from `at` on, which moves behind it; false when there is
// none.
bool next_element(const std::string& xml, std::string_view name, size_t& at, std::string& content) {
  const std::string open = fmt::format("<{}>", name);
  const size_t begin = xml.find(open, at);
  if (begin == std::string::npos) return false;
  const size_t end = xml.find(fmt::format("</{}>", name), begin);
  if (end == std::string::npos) return false;
  content = xml.substr(begin + open.size(), end - begin - open.size());
  at = end + name.size() + 3;
  return true;
}

// Lines joined, with single blanks.
std::string flowed(std::string_view text) {
  std::string flow;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) flow += c;
    if (blank && !flow.empty() && flow.back() != ' ') flow += ' ';
  }
  if (!flow.empty() && flow.back() == ' ') flow.pop_back();
  return flow;
}

std::string whole_file(const fs::path& path) {
  InputStream input(path);
  std::string content;
  while (true) {
    const std::string_view block = input.peek();
    if (block.empty()) break;
    content.append(block);
    input.consume(block.size());
  }
  require_utf8(content, "load data", input.name());
  return content;
}

// Elements <outer> with <inner> inside; the id is what <id> says or, without one, its position.
std::vector<NamedText> xml_texts(const fs::path& path, std::string_view outer,
                                 std::string_view inner, std::string_view id) {
  const std::string xml = whole_file(path);
  std::vector<NamedText> texts;
  size_t at = 0;
  for (std::string element; next_element(xml, outer, at, element);) {
    NamedText text = {std::to_string(texts.size() + 1), ""};
    std::string content;
    size_t inside = 0;
    if (!id.empty() && next_element(element, id, inside, content)) text.id = flowed(content);
    inside = 0;
    if (next_element(element, inner, inside, content)) text.text = flowed(content);
    texts.push_back(std::move(text));
  }
  if (texts.empty()) {
    fail_row({path.native(), 0},
             fmt::format("found no <{}> elements; is it the file in TREC's XML?", outer));
  }
  return texts;
}

}  // namespace

JudgedCollection read_judged(const fs::path& judgements, const fs::path& queries,
                             const fs::path& documents) {
  JudgedCollection all;
  all.queries = read_texts(queries);
  all.documents = read_texts(documents);
  read_grades(judgements, numbers_of(all.queries, queries), numbers_of(all.documents, documents),
              /*strict=*/true, all);
  return all;
}

JudgedCollection read_cranfield(const fs::path& judgements, const fs::path& queries,
                                const fs::path& documents) {
  JudgedCollection all;
  all.queries = xml_texts(queries, "top", "title", "");
  all.documents = xml_texts(documents, "doc", "text", "docno");
  read_grades(judgements, numbers_of(all.queries, queries), numbers_of(all.documents, documents),
              /*strict=*/false, all);
  return all;
}

}  // namespace headroom
