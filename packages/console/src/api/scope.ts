import { createContext } from 'react'

/** A project, or one of its environments. */
export type Scope = { projectId: string; environmentId?: string }

/**
 * What a part of a page is about. The server resolves the scopes of a run or a step. `organization` requires a role in
 * the whole organization.
 */
export type PermissionScope = Scope | { pipelineRunId: string } | { stepExecutionId: string } | 'organization'

/** Scope in which permissions are checked. Undefined means the organization and anything in it. */
export const PermissionScopeContext = createContext<PermissionScope | undefined>(undefined)
