import type { DeploymentCheckCode } from '@sluice/contract'
import { CloudPermanentError } from '../../cloud/adapter/cloud-call.ts'
import { type Fact, readFact } from './facts.ts'
import { type CheckResult, checkFact, type Finding } from './findings.ts'

/** Resource in the cloud, or the cloud's message that it does not exist. */
export type ResourceOrMissing<T> = { there: T } | { missing: string }

/** Reads a resource that may not exist. `reasons` are the cloud's error names for a missing resource. */
export const readExisting = <T>(
  permissions: string,
  reasons: readonly string[],
  read: () => Promise<T>,
  timeoutMs?: number,
): Promise<Fact<ResourceOrMissing<T>>> => {
  const orMissing = async () => {
    try {
      return { there: await read() }
    } catch (error) {
      if (error instanceof CloudPermanentError && reasons.includes(error.reason)) return { missing: error.message }
      throw error
    }
  }
  return readFact(permissions, orMissing, timeoutMs)
}

/** Returns the resource, or undefined if it is missing or could not be read. */
export const existingResourceOf = <T>(fact: Fact<ResourceOrMissing<T>>): T | undefined =>
  'value' in fact && 'there' in fact.value ? fact.value.there : undefined

/** Checks that a resource exists, and then its properties. */
export const checkExisting = <T>(
  { remedy, ...about }: { code: DeploymentCheckCode; subject: string; path?: string; remedy: string },
  fact: Fact<ResourceOrMissing<T>>,
  check: (there: T) => Finding[] = () => [],
): CheckResult =>
  checkFact(about, fact, (existing) => {
    if ('there' in existing) return check(existing.there)
    const { code, path } = about
    return [{ severity: 'ERROR', code, ...(path && { path }), message: asSentence(existing.missing), remedy }]
  })

const asSentence = (text: string): string => `${text.trim().replace(/\.$/, '')}.`
