#include "storage/settings.h"

#include <doctest/doctest.h>

namespace dentate::storage {

TEST_CASE("equal settings fit, whatever else differs names both sides") {
  const Settings asked = {{"encoder", "distilled"}, {"stemmer", "porter"}};
  CHECK(CheckSettings(asked, asked).ok());
  CHECK(CheckSettings({}, {}).ok());

  const Status other =
      CheckSettings(asked, {{"encoder", "random-indexing"}, {"stemmer", "porter"}});
  CHECK(other.code() == ErrorCode::kMismatch);
  CHECK(other.message() ==
        "encoder: the store has \"random-indexing\", \"distilled\" was asked for");

  const Status fewer = CheckSettings(asked, {{"encoder", "distilled"}});
  CHECK(fewer.message() == "stemmer: the store has none, \"porter\" was asked for");
  const Status more = CheckSettings({}, {{"embedder", "none"}});
  CHECK(more.message() == "embedder: the store has \"none\", none was asked for");
}

}  // namespace dentate::storage
