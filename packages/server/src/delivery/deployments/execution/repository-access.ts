import { CloudTransientError } from '../../../cloud/adapter/cloud-call.ts'
import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostPermanentError,
  GitHostTransientError,
} from '../../../git/adapter/errors.ts'
import { type OpenParts, readAccessAt } from '../../../git/code-sources/open.ts'
import type { Database } from '../../../platform/db/open.ts'
import type { ActionContext } from './execute.ts'

/** Grants an organization's machines read access to a repository. */
export type GrantRepositoryAccess = (
  organizationId: string,
  repository: string,
) => ReturnType<ActionContext['lendAccess']>

const apiErrors = [GitAccessLost, GitHostNotConfigured, GitHostPermanentError]

/**
 * Returns a function that grants the access that the organization has at that time. Transient errors of the Git host
 * are retried like those of the cloud.
 */
export const repositoryAccessGranter =
  (ofOrganization: Database['ofOrganization'], parts: OpenParts): GrantRepositoryAccess =>
  async (organizationId, repository) => {
    try {
      return await readAccessAt(ofOrganization(organizationId), parts, organizationId, repository)
    } catch (error) {
      if (error instanceof GitHostTransientError)
        throw new CloudTransientError(error.message, { cause: error, isAnswered: true })
      if (error instanceof Error && apiErrors.some((kind) => error instanceof kind)) return { refused: error.message }
      throw error
    }
  }
