import { readdir } from 'node:fs/promises'
import { Compile } from 'typebox/compile'
import { expect, expectTypeOf, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import {
  type ApiErrorKey,
  apiErrors,
  type CreateDeployment,
  Deployment,
  type DeploymentData,
  type DeploymentStatus,
  type EcsDeploymentData,
  failures,
  type Permission,
  permissionsOf,
  type Route,
  requestClassOf,
  roles,
  routes,
  UtcDateTime,
} from './index.ts'

const everyRoute: readonly Route[] = Object.values(routes)

test('operations that create resources are work; what decides, stops or reverts is control', () => {
  const classOf = (route: Route) => requestClassOf(route)
  const withoutUrgency = ({ isUrgent: _, ...route }: Route): Route => route
  expect(classOf(routes.createDeployment)).toBe('work')
  expect(classOf(routes.createPipelineRun)).toBe('work')
  expect(classOf(routes.getDeployment)).toBe('read')
  expect(classOf(routes.dryRunPolicy), 'it stores nothing').toBe('read')
  const { continueDeployment, cancelDeployment, rollbackDeployment, approveDeployment } = routes
  const { cancelPipelineRun, approvePipelineStepExecution, createHold, liftHold, createFreeze } = routes
  const urgent = [continueDeployment, cancelDeployment, rollbackDeployment, approveDeployment, cancelPipelineRun]
  for (const route of [...urgent, approvePipelineStepExecution, createHold, liftHold, createFreeze]) {
    expect(classOf(route), route.operationId).toBe('control')
  }
  const needless = everyRoute.filter((route) => route.isUrgent && classOf(withoutUrgency(route)) !== 'work')
  expect(
    needless.map(({ operationId }) => operationId),
    'they are control anyway',
  ).toEqual([])
})

test('types follow the schemas', () => {
  expectTypeOf<DeploymentStatus>().toEqualTypeOf<
    'PENDING' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | 'ROLLING_BACK' | 'ROLLED_BACK'
  >()
  expectTypeOf<Extract<DeploymentData, { type: 'cloud:ecs' }>>().toEqualTypeOf<EcsDeploymentData>()
  expectTypeOf<CreateDeployment['inputs']>().toEqualTypeOf<Record<string, unknown> | undefined>()
  expectTypeOf<(typeof apiErrors)[ApiErrorKey]['status']>().toExtend<number>()
})

test('every route has its key as operation ID, and no two share a method and path', () => {
  for (const [key, route] of Object.entries(routes)) expect(route.operationId).toBe(key)
  const places = everyRoute.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(places).size).toBe(places.length)
})

test('every path parameter has a schema, and every schema a path parameter', () => {
  for (const { path, params } of everyRoute) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(params?.properties ?? {})).toEqual(inPath)
  }
})

test('every code is used once and has the form Sluice:<Area>:<CODE>', () => {
  const codes = [...Object.values(apiErrors), ...Object.values(failures)].map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
  for (const code of codes) expect(code).toMatch(/^Sluice:[A-Z][A-Za-z]+:[A-Z][A-Z_]+$/)
})

test('every error of every feature is in the catalogue under a unique name', async () => {
  const files = await readdir(new URL('errors', import.meta.url))
  const modules: Record<string, object>[] = await Promise.all(
    files.map((file) => import(new URL(`errors/${file}`, import.meta.url).href)),
  )
  const names = modules.flatMap((groups) => Object.values(groups).flatMap((group) => Object.keys(group)))
  expect(names.toSorted()).toEqual([...Object.keys(apiErrors), ...Object.keys(failures)].toSorted())
})

test('each role has all permissions of the role below it', () => {
  const permissions = roles.map((role): readonly Permission[] => permissionsOf[role])
  for (const [rank, own] of permissions.entries()) {
    expect(own).toEqual(expect.arrayContaining([...(permissions[rank - 1] ?? [])]))
  }
  expect(permissionsOf.VIEWER.every((permission) => permission.endsWith(':read'))).toBe(true)
})

const isUtcDateTime = Compile(UtcDateTime)

test(
  'timestamps follow RFC 3339',
  everyCase(
    [
      ['2026-03-05T16:04:41Z', true],
      ['2026-03-05T16:04:41.123456789Z', true],
      ['2026-03-05T16:04:41.1234567890Z', false],
      ['2026-03-05T16:04:41.Z', false],
      ['2026-03-05T16:04:41+00:00', false],
      ['2026-03-05T16:04:41', false],
      ['2026-03-05 16:04:41Z', false],
    ],
    (text, taken) => {
      expect(isUtcDateTime.Check(text)).toBe(taken)
    },
  ),
)

const isDeployment = Compile(Deployment)

const paused: Deployment = {
  id: 'dep_1',
  createdAt: '2026-03-05T16:04:41Z',
  updatedAt: '2026-03-05T16:04:41Z',
  organizationId: 'org_1',
  projectId: 'prj_1',
  environmentId: 'env_1',
  moduleInstanceId: 'mi_1',
  description: 'Release 7',
  status: 'IN_PROGRESS',
  deploymentType: 'cloud:ecs',
  triggerSource: 'API',
  data: {
    type: 'cloud:ecs',
    clusterArn: 'cluster',
    serviceArn: 'service',
    events: [
      {
        currentStep: 3,
        totalSteps: 9,
        stepCode: 'PAUSED',
        startedAt: '2026-03-05T16:04:41Z',
        hookId: 'hook',
        trafficPhase: 'standby',
      },
    ],
  },
}

test('objects are closed, including the events of a deployment', () => {
  expect(isDeployment.Check(paused)).toBe(true)
  expect(isDeployment.Check({ ...paused, extra: 1 })).toBe(false)
  expect(isDeployment.Check({ ...paused, data: { ...paused.data, extra: 1 } })).toBe(false)
  expect(isDeployment.Check({ ...paused, status: 'PAUSED' })).toBe(false)
  expect(isDeployment.Check({ ...paused, data: { type: 'cloud:ecs' } })).toBe(false)
})
