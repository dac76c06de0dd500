import { type Operation, operations } from '@sluice/client'
import { type Route, routes } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { readFields } from './fields.ts'
import { operationNamed, readOperations, requestOf } from './operation.ts'
import { columns } from './print.ts'

const requested = (operation: Operation, ...words: string[]) => requestOf(operation, readFields(words))

describe('a field goes where the operation expects it', () => {
  test(
    'for every kind of operation',
    everyCase(
      [
        [
          'updatePipeline',
          ['id=pl_1', 'name=New'],
          { params: { id: 'pl_1' }, query: {}, body: { data: { name: 'New' } } },
        ],
        [
          'listDeployments',
          ['status=ERROR', 'status=SUCCESS'],
          { params: {}, query: { status: ['ERROR', 'SUCCESS'] } },
        ],
        [
          'deleteModuleInstance',
          ['id=mi_1', 'autoapprove=true'],
          { params: { id: 'mi_1' }, query: { autoapprove: ['true'] } },
        ],
        ['continueDeployment', ['id=dep_1'], { params: { id: 'dep_1' }, query: {}, body: { data: {} } }],
        ['whoami', [], { params: {}, query: {} }],
      ] as const,
      (operation, words, request) => {
        expect(requested(operation, ...words)).toEqual(request)
      },
    ),
  )
})

test('a missing path parameter and an unexpected body are named', () => {
  expect(() => requested('getPipeline')).toThrow('getPipeline needs id=….')
  expect(() => requested('getPipeline', 'id=pl_1', 'verbose=1')).toThrow(
    'getPipeline does not take verbose. What it takes: id.',
  )
})

test('every operation can be called by its name, except streams', () => {
  const callable = Object.keys(operations).filter((name) => {
    try {
      return operationNamed(name) === name
    } catch {
      return false
    }
  })
  const streams = Object.keys(operations).filter((name) => !callable.includes(name))
  expect(streams).toEqual([
    'exportAuditEvents',
    'streamChanges',
    'streamModuleInstanceLogs',
    'streamPipelineStepExecutionLogs',
  ])
})

test('an unknown name is answered with similar ones', () => {
  expect(() => operationNamed('createDeploy')).toThrow(
    'Was one of these meant: createDeployment, createDeploymentCheck?',
  )
  expect(() => operationNamed('getCloudAccounts')).toThrow('Was one of these meant: getCloudAccount?')
})

test('every resource with a list can be read by its path segment', () => {
  expect(readOperations.get('deployments')).toEqual({ list: 'listDeployments', get: 'getDeployment' })
  expect(readOperations.get('audit-events')).toEqual({ list: 'listAuditEvents' })
  expect([...readOperations.keys()].filter((what) => what.includes('/'))).toEqual([])
})

type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] }
const membersOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(membersOf),
]

test(
  'every list shows more than the id and age of a record',
  everyCase([...readOperations], (_, { list }) => {
    const [, page] = (routes[list] as Route).response
    const members = membersOf((page as Schema).properties?.data?.items ?? {})
    const shown = columns.filter((column) => members.includes(column) && column !== 'id' && column !== 'createdAt')
    expect(shown).not.toEqual([])
  }),
)
