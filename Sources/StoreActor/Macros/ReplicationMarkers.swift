/// Marks a property as private to the process that owns the state.
///
/// Copies in other processes have the default value of the declaration, so it must have one:
///
/// ```swift
/// @ReplicationIgnored var cache: [Int: String] = [:]
/// ```
///
/// Clients cannot send a case of an action that is marked with it.
@attached(peer)
public macro ReplicationIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// States the earlier name of a replicated property or case.
///
/// Data under the old name is read as this property or case; writes use the new name.
///
/// ```swift
/// @Replicated(formerly: "name") var title = ""
/// ```
///
/// - Parameter formerly: The old name.
@attached(peer)
public macro Replicated(formerly: String) =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Replicates a property of a type that is `Codable` and not `ReplicatedState`.
///
/// Other programs treat it as any item, and each change replaces the property as a whole. Its
/// type's `encode(to:)` must not throw, and a decoded value must have the same encoding again. A
/// value that throws is reported as an issue, and copies receive null instead.
@attached(peer)
public macro ReplicatedAsCodable() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Marks a property that has its default value again after a restart.
///
/// A replicated one is journaled all the same, so that recovery restores a revision as clients saw
/// it; the first revision after the restart sets the default. One that is also
/// `@ReplicationIgnored` is not journaled and needs no wire form.
///
/// On a case of a `DurableAction` that no client sends, it means that the case is not stored.
///
/// ```swift
/// @DurableIgnored var isSaving = false
/// @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
/// ```
@attached(peer)
public macro DurableIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Keeps a hidden property of a durable state whose type is `Codable` and not `ReplicatedState`.
///
/// Each change writes it as a whole; the requirements of `@ReplicatedAsCodable` apply.
///
/// ```swift
/// @ReplicationIgnored @DurableAsCodable var calendar: Calendar = .current
/// ```
@attached(peer)
public macro DurableAsCodable() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")
