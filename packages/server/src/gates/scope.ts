/** Scope of a rule or an action; absent parts are unknown or irrelevant. */
export type Scope = {
  projectId?: string | null | undefined
  environmentId?: string | null | undefined
  moduleInstanceId?: string | null | undefined
  /** Pipeline of a project. Only policies apply to pipelines. */
  pipelineId?: string | null | undefined
}

const levels = ['projectId', 'environmentId', 'moduleInstanceId', 'pipelineId'] as const satisfies (keyof Scope)[]

/**
 * Returns whether a rule with the scope `ruled` applies at `target`. The narrowest part of the rule decides: a rule for
 * a module instance applies to that instance even after it has moved to another environment.
 */
export function covers(ruled: Scope, target: Scope): boolean {
  const narrowest = levels.findLast((level) => ruled[level])
  return narrowest === undefined || ruled[narrowest] === target[narrowest]
}

/** Returns whether one of two scopes contains the other. */
export function concerns(one: Scope, other: Scope): boolean {
  const narrowest = levels.findLast((level) => one[level] && other[level])
  return narrowest === undefined || one[narrowest] === other[narrowest]
}
