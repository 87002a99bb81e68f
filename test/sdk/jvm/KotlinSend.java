// Sends every call type that analytics-kotlin has and a bulk of track calls with it, unmodified, by its interface for Java:
// java -cp '<jars>/*' KotlinSend.java <ingest URL> <write key> <bulk>
// It sends to https alone, so the program's own RequestFactory, which the SDK takes for proxies, says http. It ends with its standard
// input: the SDK does not say when all is delivered.

import com.segment.analytics.kotlin.core.BaseEvent;
import com.segment.analytics.kotlin.core.Configuration;
import com.segment.analytics.kotlin.core.RequestFactory;
import com.segment.analytics.kotlin.core.compat.ConfigurationBuilder;
import com.segment.analytics.kotlin.core.compat.JavaAnalytics;
import java.io.File;
import java.net.HttpURLConnection;
import java.util.Map;
import kotlinx.serialization.json.JsonElementKt;
import kotlinx.serialization.json.JsonObject;

public class KotlinSend {
  private static final class OverHttp extends RequestFactory {
    @Override
    public HttpURLConnection openConnection(String url) {
      return super.openConnection(url.replaceFirst("^https:", "http:"));
    }
  }

  private static BaseEvent to(JsonObject integrations, BaseEvent event) {
    event.setIntegrations(integrations);
    return event;
  }

  private static void delete(File file) {
    File[] children = file.listFiles();
    if (children != null) for (File child : children) delete(child);
    file.delete();
  }

  public static void main(String[] args) throws Exception {
    String host = args[0].replaceFirst("^https?://", "") + "/v1";
    Configuration configuration =
        new ConfigurationBuilder(args[1])
            .setApplication("hookline")
            .setApiHost(host)
            .setCdnHost(host)
            .setFlushAt(50)
            .setFlushInterval(1)
            .setRequestFactory(new OverHttp())
            .build();
    JavaAnalytics analytics = new JavaAnalytics(configuration);
    analytics.identify("kotlin-user", Map.of("name", "Ada", "plan", "pro"));
    JsonObject order =
        new JsonObject(
            Map.of("total", JsonElementKt.JsonPrimitive(12.5), "note", JsonElementKt.JsonPrimitive("<a & b> ✓")));
    JsonObject nobody = new JsonObject(Map.of("All", JsonElementKt.JsonPrimitive(false)));
    JsonObject webhooks =
        new JsonObject(
            Map.of("All", JsonElementKt.JsonPrimitive(false), "Webhooks", JsonElementKt.JsonPrimitive(true)));
    analytics.getAnalytics().track("Order Completed", order, event -> to(webhooks, event));
    analytics.getAnalytics().track("Elsewhere only", order, event -> to(nobody, event));
    analytics.screen("Main", Map.of("width", 320), "Start");
    analytics.group("kotlin-group", Map.of("name", "Initech"));
    analytics.alias("kotlin-other");
    analytics
        .getAnalytics()
        .track(
            "Anonymous",
            new JsonObject(Map.of()),
            event -> {
              event.setTimestamp("2012-12-02T00:30:08.276Z");
              return event;
            });
    for (int i = 0; i < Integer.parseInt(args[2]); i++) analytics.track("Bulk", Map.of("i", i));
    analytics.flush();
    System.in.transferTo(System.out);
    // Where the SDK keeps what it has not sent.
    delete(new File("/tmp/analytics-kotlin/" + args[1]));
    System.exit(0);
  }
}
