#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The descriptors 0, 1 and 2, which every program uses as its standard streams.
package enum StandardDescriptors {
  /// Opens `/dev/null` in place of the standard descriptors that are closed.
  ///
  /// Must be called before the process opens a file: that file would take one of these numbers, and
  /// the process would write its log into it.
  package static func open() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The system takes the lowest free number, which is this one.
      #if canImport(Glibc)
      _ = Glibc.open("/dev/null", O_RDWR)
      #elseif canImport(Darwin)
      _ = Darwin.open("/dev/null", O_RDWR)
      #endif
    }
  }
}
