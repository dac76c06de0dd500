import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import type { ExternalCommand } from '../../../cloud/facts/ec2.ts'
import { findExternalCommand } from '../types/ec2/external.ts'
import type { Ec2Release } from '../types/ec2/release.ts'
import { isMovedExternally } from '../types/lambda/external.ts'
import { isChosenExternally } from '../types/static/external.ts'

const version = fc.integer({ min: 1, max: 6 }).map(String)
const unsuccessful = fc.constantFrom('ERROR', 'CANCELLED', 'ROLLED_BACK')
const functionData = (own: string, before: string, left: string, revisionId = 'known') => ({
  type: 'cloud:lambda' as const,
  functionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:f',
  aliasName: 'live',
  version: own,
  previousVersion: before,
  aliasState: { version: left, revisionId, observedAt: '2026-11-23T12:00:00Z' },
})

test('an alias was moved externally if it is at neither of the versions that the deployment may have set', () => {
  fc.assert(
    fc.property(version, version, version, unsuccessful, (own, before, found, status) => {
      const alias = { version: found, revisionId: 'another' }
      const success = { status: 'SUCCESS', data: functionData(own, before, own) }
      expect(isMovedExternally(success, alias)).toBe(found !== own)
      for (const left of [own, before]) {
        const failed = { status, data: functionData(own, before, left) }
        expect(isMovedExternally(failed, alias)).toBe(found !== own && found !== before)
      }
    }),
  )
})

test('an alias at a known revision, or with a weighted version, was not moved externally', () => {
  const success = { status: 'SUCCESS', data: functionData('2', '1', '2') }
  expect(isMovedExternally(success, { version: '9', revisionId: 'known' })).toBe(false)
  expect(isMovedExternally(success, { version: '9', revisionId: 'x', additionalVersion: '8' })).toBe(false)
})

test('a directory was chosen externally if it is neither of those that the deployment may have set', () => {
  fc.assert(
    fc.property(
      version,
      fc.option(version, { nil: undefined }),
      version,
      unsuccessful,
      (own, before, found, status) => {
        const data = { type: 'cloud:static', prefix: own, ...(before && { previousPrefix: before }) }
        const known = (of: string) => ({ status: of, data }) as unknown as Parameters<typeof isChosenExternally>[0]
        expect(isChosenExternally(known('SUCCESS'), found)).toBe(found !== own)
        expect(isChosenExternally(known(status), found)).toBe(found !== own && found !== before)
        expect(isChosenExternally(known(status), undefined)).toBe(false)
      },
    ),
  )
})

const since = new Date('2026-11-23T12:00:00Z')
const release = { autoScalingGroupName: 'web' } as Ec2Release
const command = (change: Partial<ExternalCommand>): ExternalCommand => ({
  commandId: 'c1',
  documentName: 'web-deploy',
  comment: '',
  requestedAt: new Date(since.getTime() + 1_000),
  parameters: {},
  isOver: true,
  hasSucceeded: true,
  errorCount: 0,
  ...change,
})
const found = (commands: ExternalCommand[], known: string[] = []) =>
  findExternalCommand(release, commands, { since, known: new Set(known) })?.commandId

test(
  'an external command is distinguished from our own',
  everyCase<[string, ExternalCommand[], string | undefined]>(
    [
      ['one of others', [command({})], 'c1'],
      ['one of our own', [command({ comment: 'sluice dep_01k9 1' })], undefined],
      ['one of another group', [command({ documentName: 'api-deploy' })], undefined],
      ['one from before the last deployment', [command({ requestedAt: since })], undefined],
      [
        'one that is under way, which the one before it waits for',
        [command({ commandId: 'c2', isOver: false }), command({})],
        undefined,
      ],
      ['the latest of several', [command({ commandId: 'c2' }), command({})], 'c2'],
    ],
    (_, commands, id) => {
      expect(found(commands)).toBe(id)
    },
  ),
)

test('a command that has a deployment is not detected again', () => {
  expect(found([command({})], ['c1'])).toBeUndefined()
})
