/** What happened to a pause that the cloud reported. */
export type HookAnswer = 'CONTINUE' | 'ROLLBACK' | 'TIMED_OUT' | 'GONE'

/** One pause of the release, as the cloud named it. */
export type Hook = {
  hookId: string
  /** Unknown of a pause that began and ended between two looks. */
  lifecycleStage?: string
  timeoutAction: string
  /** RFC 3339; when the cloud acts by itself. */
  expiresAt?: string
  /**
   * `waiting`: a person may decide. `continuing`: a person decided, the cloud has not been told yet.
   * `answered`: the cloud knows.
   */
  state: 'waiting' | 'continuing' | 'answered'
  answer?: HookAnswer
}

/**
 * The steps of a container-service deployment, in order. A row stands at the step that comes next; `attempt` says how
 * often that step was begun, so that a second attempt first looks whether the first one took effect.
 */
export type EcsStep = 'prepare' | 'register' | 'update' | 'locate' | 'observe'

/** Where a container-service deployment stands. Lives in the row, never on the wire. */
export type Progress = {
  step: EcsStep
  attempt: number
  /** When the last attempt began, until it is certain that no request of it is on its way any more. RFC 3339. */
  attemptedAt?: string
  /** Failed calls in a row, for the back-off. */
  troubles: number
  /** Observations in a row that showed nothing new, for the back-off. */
  quiet: number
  /** The service's primary deployment before ours: how we tell that our update took effect. */
  primaryBefore?: { id: string; taskDefinitionArn: string }
  /** The service's newest service deployment before ours: if our update took effect, ours is a newer one. */
  newestBefore?: string
  /** The arn of our task definition, once it is registered. */
  taskDefinitionArn?: string
  hooks: Hook[]
  /** Milliseconds of working time that were left when the present pause began. */
  remainingMs?: number
  /** The release is to be stopped and rolled back; `sent` once the cloud was told. */
  stop?: { by: 'user' | 'deadline'; sent: boolean }
}
