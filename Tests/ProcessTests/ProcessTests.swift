import Testing

/// Tests of the built programs, over real sockets.
///
/// One at a time: each starts several processes, and what they need of the machine is what the next
/// one's deadlines are about.
@Suite("Programs", .serialized, .timeLimit(.minutes(2)))
enum ProcessTests {}
