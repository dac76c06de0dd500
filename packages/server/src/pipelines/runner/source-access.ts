import type { SourceAccess } from '@sluice/contract/runner-protocol'
import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostPermanentError,
  GitHostTransientError,
} from '../../git/adapter/errors.ts'
import { credentialFor, type OpenParts } from '../../git/code-sources/open.ts'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AddressGuard } from './address-guard.ts'
import type { Ordered } from './order.ts'
import { StepFailure } from './step-failure.ts'

export type SourceAccessParts = OpenParts & { db: Db; guard: AddressGuard }

const expected = [GitAccessLost, GitHostNotConfigured, GitHostPermanentError, GitHostTransientError]

/** Returns access to the repository of an attempt, with the credentials that the organization has at that time. */
export async function sourceAccess(
  { db, guard, ...open }: SourceAccessParts,
  organizationId: string,
  { order: { source } }: Ordered,
): Promise<SourceAccess> {
  if (!source || !('url' in source)) throw new StepFailure('sourceUnavailable', 'The step has no repository.')
  const { url, codeSourceId } = source
  const access =
    codeSourceId === undefined
      ? { url, environment: {}, secrets: [] }
      : await accessTo(db, open, organizationId, codeSourceId)
  const { origin } = new URL(access.url)
  // The operator's own Git hosts are contacted directly, because their addresses are trusted.
  const isOperators = codeSourceId !== undefined && [open.hosts.a.url, open.hosts.hostedB.url].includes(origin)
  return { ...access, addresses: isOperators ? [] : await guard(new URL(access.url)) }
}

async function accessTo(db: Db, open: OpenParts, organizationId: string, codeSourceId: string) {
  const source = await findCodeSource(db, organizationId, codeSourceId)
  if (!source) {
    throw new StepFailure('sourceUnavailable', `The organization has no code source ${codeSourceId}.`)
  }
  try {
    return await credentialFor(db, open, source)
  } catch (error) {
    if (!(error instanceof Error && expected.some((kind) => error instanceof kind))) throw error
    throw new StepFailure('sourceUnavailable', `The repository ${source.repoUrl} cannot be read.`, {
      description: error.message,
    })
  }
}
