import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, isDeploymentOver } from '@sluice/contract'
import { expect } from 'vitest'
import type { Client } from '../src/testing/client.ts'
import type { Installation } from './installation.ts'

/** Reads without a break. A failed response fails the test. */
export async function readContinuously(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.done('GET', '/deployments?limit=20')
    await sleep(20) // interval of a reader
  }
}

/** Follows the changes like a browser: reconnects with the last received ID when the stream ends. */
export async function follow(apiUrl: string, client: Client, signal: AbortSignal) {
  const seen = { comebacks: 0, resets: 0 }
  const authorization = `Bearer ${client.token}`
  for (let lastEventId = ''; !signal.aborted; ) {
    const headers = { authorization, ...(lastEventId && { 'last-event-id': lastEventId }) }
    try {
      const { body, status } = await fetch(`${apiUrl}/changes`, { headers, signal })
      expect(status).toBe(200)
      for await (const events of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        if (events.includes('event: reset') && lastEventId !== '') seen.resets += 1
        lastEventId = events.match(/(?<=^id: ).+$/gm)?.at(-1) ?? lastEventId
      }
    } catch (error) {
      if (!signal.aborted) throw error // the connection was cut
    }
    if (!signal.aborted) seen.comebacks += 1
  }
  return seen
}

/** Returns the deployments whose end is in a log. */
export const endsIn = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line.includes('a deployment moved'))
    .map((line) => JSON.parse(line) as { id: string; to: Deployment['status'] })
    .filter(({ to }) => isDeploymentOver(to))
    .map(({ id }) => id)
    .toSorted()

/** Returns unexpected exits of processes. */
export const ownEndsOf = ({ apis, workers }: Pick<Installation<unknown>, 'apis' | 'workers'>) =>
  [...apis, ...workers].flatMap(({ name, process }) => process.ownEnds.map((end) => `${name}: ${end}`))
