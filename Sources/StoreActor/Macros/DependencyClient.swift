/// Gives a struct of closures what a dependency needs: endpoints that report when they are called
/// before anyone has given them, and initializers.
///
///     @DependencyClient
///     struct FactClient {
///       var fetch: @Sendable (_ number: Int) async throws -> String
///       var isAvailable: @Sendable () -> Bool = { false }
///     }
///
///     extension FactClient: TestDependencyKey {
///       static let testValue = FactClient()
///     }
///
/// `FactClient()` has no endpoint implemented, which suits tests: each replaces what it expects to
/// be called. The other initializer takes every closure. A closure with labels in its type can be
/// called as a method with them: `try await factClient.fetch(number: 3)`.
@attached(memberAttribute)
@attached(member, names: named(init))
public macro DependencyClient() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyClientMacro")

/// Makes a closure of a dependency client report when it is called before anyone has given it.
///
/// `@DependencyClient` applies it to every closure; write it to give the method another name. An
/// endpoint that nobody has given throws ``Unimplemented`` when it can; else the closure written as
/// its default says what it returns.
///
/// - Parameter method: The method's name where it is not the property's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointMacro")

/// Leaves a closure of a dependency client as it is.
@attached(peer)
public macro DependencyEndpointIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointIgnoredMacro")
