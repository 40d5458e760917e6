package dev.plumbline.sql.metric.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import org.junit.jupiter.api.Test;

/**
 * What Avatica asks of every prepared statement is answered, whatever the database's driver can.
 */
class WrappedTest {
  private static ParameterMetaData of(SQLException type) {
    Object real =
        Proxy.newProxyInstance(
            WrappedTest.class.getClassLoader(),
            new Class<?>[] {ParameterMetaData.class},
            (self, method, arguments) -> {
              if (method.getName().equals("getParameterCount")) {
                return 1;
              }
              throw type;
            });
    return (ParameterMetaData) Wrapped.parameters(real);
  }

  @Test
  void aDriverThatTellsNoTypesOfParametersWillDo() throws SQLException {
    ParameterMetaData told = of(new SQLFeatureNotSupportedException("not supported", "0A000"));
    assertThat(told.getParameterCount()).isEqualTo(1);
    assertThat(told.getParameterType(1)).isEqualTo(Types.VARCHAR);
    assertThat(told.getParameterTypeName(1)).isEqualTo("VARCHAR");
    assertThat(told.getParameterClassName(1)).isEqualTo("java.lang.String");
    assertThat(told.getParameterMode(1)).isEqualTo(ParameterMetaData.parameterModeIn);
    assertThat(told.isNullable(1)).isEqualTo(ParameterMetaData.parameterNullableUnknown);
    assertThat(told.isSigned(1)).isFalse();
    assertThat(told.getPrecision(1) + told.getScale(1)).isZero();
  }

  @Test
  void anErrorOfTheDatabaseIsItsOwn() {
    assertThatThrownBy(() -> of(new SQLException("gone", "08006")).getParameterType(1))
        .isInstanceOf(SQLException.class)
        .hasMessage("gone");
  }
}
