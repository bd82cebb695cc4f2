#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread that runs, for what belongs to one thread while it is under way.
package enum CurrentThread {
  /// A number that no other thread has meanwhile; never 0.
  package static var id: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }
}
