#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The descriptors 0, 1 and 2, which every program takes for its standard streams.
package enum StandardDescriptors {
  /// Opens those that the process was started without, on nothing.
  ///
  /// To be called before anything else is opened: that would be one of them, and what the process
  /// logs would be written into it.
  package static func open() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest that is free is taken, which is this one.
      #if canImport(Glibc)
      _ = Glibc.open("/dev/null", O_RDWR)
      #elseif canImport(Darwin)
      _ = Darwin.open("/dev/null", O_RDWR)
      #endif
    }
  }
}
