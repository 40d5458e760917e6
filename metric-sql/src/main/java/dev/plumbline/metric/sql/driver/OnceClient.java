package dev.plumbline.metric.sql.driver;

import java.io.IOException;
import java.net.URL;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.ConnectionConfig;
import org.apache.calcite.avatica.remote.AvaticaCommonsHttpClientImpl;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/**
 * Sends a request once. Avatica's own client sends it again where a connection ends without an
 * answer, or where a proxy says that the site is not available: the site may have heard it, and
 * would do the same thing twice.
 */
public final class OnceClient extends AvaticaCommonsHttpClientImpl {

  /** As Avatica makes it, by its name. */
  @SuppressWarnings("deprecation")
  public OnceClient(URL url) {
    super(url);
  }

  @Override
  @SuppressWarnings("deprecation") // The pool is Avatica's, and has no timeout of its own.
  protected void initializeClient(
      PoolingHttpClientConnectionManager connections, ConnectionConfig config) {
    super.initializeClient(connections, config);
    RequestConfig times =
        RequestConfig.custom()
            .setConnectTimeout(connectTimeout, TimeUnit.MILLISECONDS)
            .setResponseTimeout(responseTimeout, TimeUnit.MILLISECONDS)
            .build();
    client =
        HttpClients.custom()
            .setConnectionManager(connections)
            .setConnectionManagerShared(true)
            .setDefaultRequestConfig(times)
            .disableAutomaticRetries()
            // Connections that have shown a certificate are for all who show it.
            .disableConnectionState()
            .build();
  }

  @Override
  public byte[] send(byte[] request) {
    HttpPost post = new HttpPost(uri);
    post.setEntity(new ByteArrayEntity(request, ContentType.APPLICATION_OCTET_STREAM));
    try {
      return client.execute(
          post,
          response -> {
            int code = response.getCode();
            if (code != 200 && code != 500) {
              throw new IllegalStateException("Failed to execute HTTP Request, got HTTP/" + code);
            }
            return EntityUtils.toByteArray(response.getEntity());
          });
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
