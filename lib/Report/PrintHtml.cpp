// The report as one HTML page: the page of Page.h with the JSON object in it.
#include "Page.h"
#include "partita/Report/Plan.h"

namespace partita {

void printHtml(const Plan &plan, llvm::raw_ostream &os) {
  std::string json;
  llvm::raw_string_ostream stream(json);
  printJson(plan, stream);
  auto [head, tail] = llvm::StringRef(kPage).split("/*PLAN*/");
  os << head;
  // Names come from the program: none may end the script.
  for (char letter : json)
    letter == '<' ? os << "\\u003c" : os << letter;
  os << tail;
}

} // namespace partita
