import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestSite, staticDataOf } from '../../../../testing/static-site.ts'
import { sharedWorld, type World } from '../../../../testing/world.ts'
import { isPartlyRemoved, overlaps, prefixesToRemove, type SiteRelease } from './retention.ts'

const released = (moduleInstanceId: string, prefix: string, more: Partial<SiteRelease> = {}): SiteRelease => ({
  moduleInstanceId,
  prefix,
  status: 'SUCCESS',
  removedPrefixes: [],
  ...more,
})
const gone = (prefix: string) => ({
  prefix,
  objectCount: 1,
  startedAt: '2026-01-01T00:00:00Z',
  completedAt: '2026-01-01T00:00:01Z',
})
const begun = (prefix: string) => ({ prefix, objectCount: 0, startedAt: '2026-01-02T00:00:00Z' })

describe('the directories to delete', () => {
  test.each([
    ['beyond the count', 2, ['a', 'b', 'c'], 'd', ['a', 'b']],
    ['none within the count', 4, ['a', 'b', 'c'], 'd', []],
    ['all but the active one at a count of 1', 1, ['a', 'b'], 'c', ['a', 'b']],
    ['all but the active one at a count of 0', 0, ['a', 'b'], 'c', ['a', 'b']],
    ['a release that was made again counts as new', 2, ['a', 'b', 'a'], 'c', ['b']],
    ['the active one is not old, however often it was released', 1, ['a', 'b', 'a'], 'a', ['b']],
  ])('%s', (_name, keep, prefixes, prefix, expected) => {
    const history = prefixes.map((one) => released('mi', one))
    expect(prefixesToRemove({ moduleInstanceId: 'mi', prefix }, keep, history)).toEqual(expected)
  })

  test('exclude deleted ones, unless they were released again', () => {
    const history = [
      released('mi', 'a'),
      released('mi', 'b', { removedPrefixes: [gone('a')] }),
      released('mi', 'a'),
      released('mi', 'c', { removedPrefixes: [gone('b')] }),
    ]
    expect(prefixesToRemove({ moduleInstanceId: 'mi', prefix: 'd' }, 1, history)).toEqual(['a', 'c'])
  })

  test('exclude those of other instances, queued deployments, and those that contain a retained one', () => {
    const history = [
      released('mi', 'shared'),
      released('mi', 'queued'),
      released('mi', 'site'),
      released('mi', 'old'),
      released('mi', 'old2'),
      released('other', 'shared'),
      released('mi', 'queued', { status: 'PENDING' }),
    ]
    expect(prefixesToRemove({ moduleInstanceId: 'mi', prefix: 'site/v2' }, 1, history)).toEqual(['old', 'old2'])
  })

  test('are incomplete if their deletion was not finished', () => {
    expect(isPartlyRemoved('a', [released('mi', 'b', { removedPrefixes: [begun('a')] })])).toBe(true)
    expect(isPartlyRemoved('a', [released('mi', 'b', { removedPrefixes: [gone('a')] })])).toBe(false)
    expect(isPartlyRemoved('a', [released('mi', 'b', { removedPrefixes: [begun('ab')] })])).toBe(false)
  })

  test('never include the active one, one of the latest, or the same one twice', () => {
    const prefix = fc.constantFrom('a', 'b', 'c', 'a/b', 'ab', 'd')
    const one = fc.record({
      moduleInstanceId: fc.constantFrom('mi', 'other'),
      prefix,
      status: fc.constantFrom('SUCCESS' as const, 'PENDING' as const),
      removedPrefixes: fc.array(prefix.map(gone), { maxLength: 2 }),
    })
    fc.assert(
      fc.property(prefix, fc.nat(4), fc.array(one, { maxLength: 12 }), (active, keep, history) => {
        const doomed = prefixesToRemove({ moduleInstanceId: 'mi', prefix: active }, keep, history)
        const latest = [
          active,
          ...history
            .filter(isOwn)
            .reverse()
            .map((release) => release.prefix),
        ]
        const kept = [...new Set(latest)].slice(0, Math.max(1, keep))
        const waiting = history.filter(({ status }) => status === 'PENDING').map((release) => release.prefix)
        expect(new Set(doomed).size).toBe(doomed.length)
        expect(
          doomed.filter((path) => overlaps(path, active) || waiting.some((other) => overlaps(path, other))),
        ).toEqual([])
        if (history.every(({ removedPrefixes }) => removedPrefixes.length === 0)) {
          expect(doomed.filter((path) => (kept as string[]).includes(path))).toEqual([])
        }
      }),
    )
  })
})

const isOwn = ({ moduleInstanceId, status }: SiteRelease) => moduleInstanceId === 'mi' && status === 'SUCCESS'

describe.concurrent('after a release', () => {
  let world: World
  beforeAll(async () => {
    world = await sharedWorld()
  })

  test('directories beyond the number to retain are deleted with all their objects and nothing else', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { keep: 2, releases: ['r/1', 'r/2', 'r/3', 'r/10'] })
    for (const prefix of ['r/1', 'r/10', 'r/2']) await site.release(prefix)

    const done = await site.release('r/3')

    expect(await site.directories()).toEqual(['r/2', 'r/3'])
    expect(staticDataOf(done).removedPrefixes).toMatchObject([
      { prefix: 'r/10', objectCount: 2, completedAt: expect.any(String) },
    ])
  })

  test('a deleted release cannot be deployed again, and the response says why', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { keep: 1 })
    const first = await site.release('r/1')
    await site.release('r/2')

    const { id } = await org.redeploy(first.id)

    const failed = await org.untilStatus(id, 'ERROR')
    expect(failed.error).toMatchObject({ code: 'Sluice:Deployments:RELEASE_MISSING' })
    expect(failed.error?.description).toContain('keep_latest_successful_deploy_count')
    expect(await site.active()).toBe('r/2')
  })

  test('directories that another instance released from the bucket are kept', async () => {
    const org = await world.organization()
    const other = await createTestSite(world, org, { releases: ['r/1', 'r/2', 'r/3'] })
    await other.release('r/1')
    const site = await createTestSite(world, org, { keep: 1, site: other.site, releases: [] })

    for (const prefix of ['r/1', 'r/2', 'r/3']) await site.release(prefix)

    expect(await site.directories()).toEqual(['r/1', 'r/3'])
  })

  test('objects that cannot be deleted do not fail the release, and the next one tries again', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { keep: 1, releases: ['r/2', 'r/3'] })
    await site.upload('r/1', ['index.html', 'index.html-locked'])
    await site.release('r/1')

    const done = await site.release('r/2')

    const notes = (staticDataOf(done).events ?? []).filter(({ stepCode }) => stepCode === 'CLEAN_UP')
    expect(notes.at(-1)?.message).toContain('r/1/index.html-locked cannot be deleted')
    expect(staticDataOf(done).removedPrefixes).toMatchObject([{ prefix: 'r/1' }])
    const next = await site.release('r/3')
    expect(staticDataOf(next).removedPrefixes?.map(({ prefix }) => prefix)).toEqual(['r/1'])
    expect(await site.active()).toBe('r/3')
  })

  test('directories of more than a thousand objects are deleted page by page', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { keep: 1, releases: ['r/2'] })
    await site.upload(
      'r/1',
      Array.from({ length: 1_100 }, (_, index) => `page-${index}`),
    )
    await site.release('r/1')

    const done = await site.release('r/2')

    expect(staticDataOf(done).removedPrefixes).toMatchObject([{ prefix: 'r/1', objectCount: 1_100 }])
    expect(await org.calls('DeleteObjects')).toHaveLength(2)
    expect(await site.directories()).toEqual(['r/2'])
  })
})
