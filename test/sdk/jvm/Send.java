// Sends every call type and a bulk of track calls with the unmodified analytics-java, as a customer's program would:
// java -cp '<jars>/*' Send.java <ingest URL> <write key> <bulk>

import com.segment.analytics.Analytics;
import com.segment.analytics.Callback;
import com.segment.analytics.messages.AliasMessage;
import com.segment.analytics.messages.GroupMessage;
import com.segment.analytics.messages.IdentifyMessage;
import com.segment.analytics.messages.Message;
import com.segment.analytics.messages.MessageBuilder;
import com.segment.analytics.messages.PageMessage;
import com.segment.analytics.messages.ScreenMessage;
import com.segment.analytics.messages.TrackMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

public class Send {
  private static List<MessageBuilder> messages(int bulk) {
    List<MessageBuilder> all = new ArrayList<>();
    all.add(IdentifyMessage.builder().userId("java-user").traits(Map.of("name", "Ada", "plan", "pro")));
    all.add(
        TrackMessage.builder("Order Completed")
            .userId("java-user")
            .properties(Map.of("total", 12.5, "tiny", 1e-7, "note", "<a & b> ✓"))
            .enableIntegration("All", false)
            .enableIntegration("Webhooks", true));
    all.add(TrackMessage.builder("Elsewhere only").userId("java-user").enableIntegration("All", false));
    all.add(PageMessage.builder("Home").userId("java-user").properties(Map.of("url", "https://example.com/")));
    all.add(ScreenMessage.builder("Main").userId("java-user"));
    all.add(GroupMessage.builder("java-group").userId("java-user").traits(Map.of("name", "Initech")));
    all.add(AliasMessage.builder("java-anonymous").userId("java-user"));
    all.add(
        TrackMessage.builder("Anonymous")
            .anonymousId("java-anonymous")
            .timestamp(Date.from(Instant.parse("2012-12-02T00:30:08.276Z"))));
    for (int i = 0; i < bulk; i++)
      all.add(TrackMessage.builder("Bulk").userId("java-bulk-" + i % 50).properties(Map.of("i", i)));
    return all;
  }

  public static void main(String[] args) throws Exception {
    List<MessageBuilder> all = messages(Integer.parseInt(args[2]));
    CountDownLatch settled = new CountDownLatch(all.size());
    AtomicInteger failed = new AtomicInteger();
    Callback callback =
        new Callback() {
          @Override
          public void success(Message message) {
            settled.countDown();
          }

          @Override
          public void failure(Message message, Throwable error) {
            if (failed.getAndIncrement() == 0) System.err.println("failed: " + error);
            settled.countDown();
          }
        };
    Analytics analytics = Analytics.builder(args[1]).endpoint(args[0]).callback(callback).build();
    for (MessageBuilder message : all) analytics.enqueue(message);
    analytics.flush();
    settled.await();
    analytics.shutdown();
    System.exit(failed.get() == 0 ? 0 : 1);
  }
}
