#include "server/service/observer.h"

namespace headroom::server {

std::string_view budget_reason_name(BudgetReason reason) {
  switch (reason) {
    case BudgetReason::full:
      return "full";
    case BudgetReason::load:
      return "load";
    case BudgetReason::queue:
      return "queue";
    case BudgetReason::exact:
      return "exact";
  }
  return "exact";
}

}  // namespace headroom::server
