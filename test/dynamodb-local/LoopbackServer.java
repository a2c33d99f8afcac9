import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local in memory, on a free port of the loopback address. Its own command line listens on every interface
 * and sends telemetry. This program prints its URL, and ends when its standard input does.
 */
class LoopbackServer {
  public static void main(String[] arguments) throws Exception {
    var requests = new LocalDynamoDBRequestHandler(0, true, null, true, false);
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(new LocalDynamoDBServerHandler(requests, null));
    server.start();
    System.out.println("http://127.0.0.1:" + server.getURI().getPort());
    System.in.transferTo(System.out);
    System.exit(0);
  }
}
