import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { AuditEvent, AuditHead } from '@sluice/contract'
import { chainHashOf, contentHashOf, firstPreviousHash, signedTextOf } from '@sluice/server/identity/audit-events/chain'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { ChainCheck } from './chain.ts'

const organizationId = 'org_1'

/** Creates an audit event linked to the previous one, as the service does. */
function eventAfter(before: AuditEvent | undefined, details = {}): AuditEvent {
  const sequence = (before?.chain?.sequence ?? 0) + 1
  const event: AuditEvent = {
    id: `aud_${sequence}`,
    createdAt: new Date(sequence * 1_000).toISOString(),
    organizationId,
    actorType: 'MEMBERSHIP',
    actorId: 'mem_1',
    actorName: 'ada@example.com',
    channel: 'API',
    action: 'holds.release',
    resourceType: 'hold',
    resourceId: 'hld_1',
    details,
  }
  return linked(event, sequence, before?.chain?.hash ?? firstPreviousHash)
}

function linked(event: AuditEvent, sequence: number, previousHash: string): AuditEvent {
  const link = { sequence, previousHash, contentHash: contentHashOf(event) }
  return { ...event, chain: { ...link, hash: chainHashOf(link, event.createdAt) } }
}

function chainOf(count: number): AuditEvent[] {
  const events: AuditEvent[] = []
  for (let index = 0; index < count; index += 1) events.push(eventAfter(events.at(-1), { index }))
  return events
}

/** Simulates an attacker with database access: replaces one event and recomputes all later links. */
function forged(events: readonly AuditEvent[], at: number): AuditEvent[] {
  const rewritten = events.slice(0, at)
  for (const event of events.slice(at)) {
    const content = rewritten.length === at ? { ...event, actorName: 'eve@example.com' } : event
    rewritten.push(linked(content, rewritten.length + 1, rewritten.at(-1)?.chain?.hash ?? firstPreviousHash))
  }
  return rewritten
}

const keyPair = () => generateKeyPairSync('ed25519')
const publicTextOf = (key: KeyObject): string => String(key.export({ format: 'jwk' }).x)
const { privateKey, publicKey } = keyPair()
const trusted = publicTextOf(publicKey)

function headOf(event: AuditEvent | undefined, key = privateKey, named = trusted): AuditHead {
  const { sequence = 0, hash = firstPreviousHash } = event?.chain ?? {}
  const head = { organizationId, sequence, hash, signedAt: '2026-11-29T00:00:00.000Z' }
  const signature = sign(null, Buffer.from(signedTextOf(head)), key).toString('base64url')
  return { ...head, publicKey: named, signature }
}

function verdictOn(events: readonly AuditEvent[], heads: readonly AuditHead[] = [], keys: readonly string[] = []) {
  const check = new ChainCheck()
  for (const event of events) check.add(event)
  return check.end(heads, keys)
}

const whole = chainOf(5)

test('an unmodified log has no faults in any order, and the result says what confirms it', () => {
  expect(verdictOn(whole.toReversed(), [headOf(whole[4])], [trusted])).toEqual({
    faults: [],
    summary: ['5 linked events, sequence 1 to 5.', 'Signed heads vouch for the events up to sequence 5.'],
  })
  const partly = verdictOn(whole, [headOf(whole[2])], [trusted])
  expect(partly.faults).toEqual([])
  expect(partly.summary).toContainEqual(expect.stringMatching(/^No head vouches for those after it/))
})

test('a log whose oldest events have expired has no faults', () => {
  expect(verdictOn(whole.slice(2), [headOf(whole[0]), headOf(whole[4])], [trusted]).faults).toEqual([])
})

test(
  'a check of the log detects',
  everyCase(
    [
      ['a content that was changed', whole.with(2, { ...whole[2], actorName: 'eve' } as AuditEvent), /aud_3 .*changed/],
      [
        'a time that was changed',
        whole.with(2, { ...whole[2], createdAt: whole[0]?.createdAt } as AuditEvent),
        /aud_3 .*changed/,
      ],
      ['a member that was added', whole.with(2, { ...whole[2], projectId: 'prj_1' } as AuditEvent), /aud_3 .*changed/],
      ['an event that was removed', whole.toSpliced(2, 1), /Sequence 3 is missing/],
      ['several that were removed', whole.toSpliced(1, 3), /Sequence 2 to 4 are missing/],
      [
        'an event that was put in between',
        [...whole, eventAfter(whole[1], { forged: true })],
        /both have the sequence 3/,
      ],
      ['an event that was linked anew', whole.with(2, forged(whole, 2)[2] as AuditEvent), /aud_4 .*does not follow/],
      [
        'events of another organization',
        [...whole, { ...whole[0], organizationId: 'org_2' } as AuditEvent],
        /several organizations/,
      ],
      ['a first event that follows another', [linked(whole[0] as AuditEvent, 1, 'f'.repeat(64))], /not the first/],
    ] as [string, AuditEvent[], RegExp][],
    (_, events, fault) => {
      expect(verdictOn(events).faults.join('\n')).toMatch(fault)
    },
  ),
)

const other = keyPair()

test(
  'a check against a stored head detects',
  everyCase(
    [
      ['a log that was rewritten', forged(whole, 2), headOf(whole[4]), /another hash for sequence 5/],
      ['a rewritten log, by an older head', forged(whole, 1), headOf(whole[2]), /another hash for sequence 3/],
      ['events that are missing at the end', whole.slice(0, 3), headOf(whole[4]), /counts 5 events/],
      ['a log that is empty', [], headOf(whole[4]), /counts 5 events/],
      ['a head that was changed', whole, { ...headOf(whole[4]), sequence: 4 }, /not signed with its key/],
      [
        'a head of another key',
        forged(whole, 2),
        headOf(forged(whole, 2)[4], other.privateKey, publicTextOf(other.publicKey)),
        /not trusted/,
      ],
      ['a head that only names the key', whole, headOf(whole[4], other.privateKey), /not signed with its key/],
      ['a head with no key', whole, { ...headOf(whole[4]), publicKey: '' }, /not trusted/],
    ] as [string, AuditEvent[], AuditHead, RegExp][],
    (_, events, head, fault) => {
      expect(verdictOn(events, [head], [trusted]).faults.join('\n')).toMatch(fault)
    },
  ),
)

test('the result says what no head covers', () => {
  const { chain: _, ...unlinked } = whole[0] as AuditEvent
  expect(verdictOn([unlinked]).summary).toContainEqual(
    expect.stringMatching(/^1 events were recorded before version 0.3/),
  )
  expect(verdictOn(whole).summary).toContainEqual(expect.stringMatching(/^No head vouches for any event/))
  expect(verdictOn(whole, [headOf(whole[4])]).summary).toContainEqual(
    expect.stringMatching(/^No trusted key was given/),
  )
})
