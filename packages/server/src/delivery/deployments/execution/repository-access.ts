import { CloudTrouble } from '../../../cloud/adapter/answer.ts'
import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../../../git/adapter/errors.ts'
import { lendAccess, type OpenParts } from '../../../git/code-sources/open.ts'
import type { Database } from '../../../platform/db/open.ts'
import type { Situation } from './execute.ts'

/** What the machines of an organization are lent to read a repository. */
export type LendAccess = (organizationId: string, repository: string) => ReturnType<Situation['lendAccess']>

const refusals = [GitAccessLost, GitHostNotConfigured, GitHostRefusal]

/** Asks with the access that the organization has at that moment. A host in trouble is asked again, as the cloud is. */
export const accessLender =
  (ofOrganization: Database['ofOrganization'], parts: OpenParts): LendAccess =>
  async (organizationId, repository) => {
    try {
      return await lendAccess(ofOrganization(organizationId), parts, organizationId, repository)
    } catch (error) {
      if (error instanceof GitHostTrouble) throw new CloudTrouble(error.message, { cause: error, isAnswered: true })
      if (error instanceof Error && refusals.some((kind) => error instanceof kind)) return { refused: error.message }
      throw error
    }
  }
