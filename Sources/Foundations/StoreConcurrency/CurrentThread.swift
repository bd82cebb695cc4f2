#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The identity of the running thread, for data that belongs to one thread at a time.
package enum CurrentThread {
  /// A number that is unique among the living threads; never 0.
  package static var id: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }
}
