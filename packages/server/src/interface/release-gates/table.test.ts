import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type GrantedRole,
  grantedPermissionsOf,
  grantedRoles,
  type Permission,
  permissionsOf,
  type Role,
  type Route,
  roles,
  routes,
} from '@sluice/contract'
import { expect, test } from 'vitest'
import { effects, gates, inert, inertAccess, ownActions, presses, type Row, requests, steps } from './table.ts'

const here = 'packages/server/src/interface/release-gates/table.ts'
const source = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(source, path), 'utf8')

const stepRows: Record<string, Row | undefined> = steps
const rows: Record<string, Row> = {
  ...requests,
  ...Object.fromEntries(Object.entries(stepRows).flatMap(([type, row]) => (row ? [[`step ${type}`, row]] : []))),
  ...ownActions,
}
const filesOf = ({ from }: Row): readonly string[] => (typeof from === 'string' ? [from] : from)

const all = Object.values(routes) as Route[]
const onlyOwners = permissionsOf.OWNER.filter((one) => !(permissionsOf.ADMIN as readonly Permission[]).includes(one))
const inertByAccess = new Set<string>([...inertAccess, ...onlyOwners])

test('an operation that changes something is in the table of gates, or in the list of harmless ones', () => {
  const unknown = all.filter(
    ({ method, operationId, permission }) =>
      method !== 'GET' &&
      !(operationId in requests) &&
      !inertByAccess.has(permission) &&
      !(inert as readonly string[]).includes(operationId),
  )
  expect(
    unknown.map(({ operationId }) => operationId),
    `say in ${here} what these change and which gates that passes, or list them in \`inert\``,
  ).toEqual([])
})

test('no operation is both in the table and in the list of harmless ones', () => {
  expect(inert.filter((one) => one in requests)).toEqual([])
  const needless = inert.filter(
    (one) => inertByAccess.has(routes[one].permission) || routes[one].method === ('GET' as string),
  )
  expect(needless, 'these are known by their permission already').toEqual([])
})

/** Functions that start a release, a run, a state change or a decision about a pause. */
const beginnings =
  /\b(?:acceptDeployment|acceptRedeployment|acceptRollback|acceptPromotion|releasePromoted|startRun|retryRun|startInstanceRun|adoptRelease|adoptFinished|insertFinished|appendState|breakLock)\(|action: 'deployments\.continue'/

test('every call of a function that starts a release, run or state change belongs to a row of the table', () => {
  const files = globSync('**/*.ts', { cwd: source })
    .filter((path) => !/(?:\.test|\.fixture)\.ts$|^testing\//.test(path))
    .filter((path) => beginnings.test(read(path).replaceAll(/(?:function|type|import) [^\n]*/g, '')))
  const known = new Set([...Object.values(rows).flatMap(filesOf), ...definitions])
  expect(
    files.filter((path) => !known.has(path)),
    `name these in ${here} under what they begin`,
  ).toEqual([])
})

/** Files that define these functions and call each other. */
const definitions = ['delivery/deployments/execution/decide.ts', 'delivery/deployments/execution/decisions.ts']

test('the files of the table exist', () => {
  const named = [...Object.values(rows).flatMap(filesOf), ...Object.values(gates).map(({ decidedIn }) => decidedIn)]
  expect([...new Set(named)].filter((path) => !existsSync(join(source, path)))).toEqual([])
})

test('actions in Slack and tools of agents are operations of the table', () => {
  const pressed = Object.entries(presses).flatMap(([choice, operations]) =>
    operations.filter((one) => !routes[one].path.endsWith(`/${choice}`)),
  )
  expect(pressed).toEqual([])
  const tools = readFileSync(join(source, '../../mcp/src/tools/acting.ts'), 'utf8')
  const asked = [...tools.matchAll(/client\.(\w+)\(/g)].map(([, name = '']) => name)
  expect(asked).toContain('rollbackDeployment')
  expect(asked.filter((name) => !(name in requests))).toEqual([])
})

/** Permissions to start releases or runs, without those of administrators. */
const begins: readonly Permission[] = ['deployments:write', 'pipeline-runs:write']
const ofOrganization = roles.filter((role) => role !== 'ADMIN' && role !== 'OWNER')
const ofPlaces = grantedRoles.filter((role) => role !== 'ADMIN')
const beginners: [string, readonly Permission[]][] = [
  ...ofOrganization.map((role: Role): [string, readonly Permission[]] => [role, permissionsOf[role]]),
  ...ofPlaces.map((role: GrantedRole): [string, readonly Permission[]] => [
    `${role} of a place`,
    grantedPermissionsOf[role],
  ]),
]

/** Lifting holds is part of deploying: docs/how-to/holds.md. It requires a reason, and is audited. */
const byRole: readonly string[] = ['liftHold']

test('a user who can start releases cannot open a gate, except by the permissions of a higher role', () => {
  const weakening = Object.entries(rows).filter(([, { weakens }]) => weakens !== undefined)
  expect(new Set(weakening.map(([, { weakens }]) => weakens))).toEqual(
    new Set([
      'HOLD',
      'FREEZE',
      'APPROVAL_RULE',
      'POLICY',
      'PROMOTION_RULE',
      'PRODUCTION_MARK',
      'PERMISSION',
      'STATE_LOCK',
    ]),
  )
  const able = beginners
    .filter(([, permissions]) => begins.some((one) => permissions.includes(one)))
    .flatMap(([role, permissions]) =>
      weakening
        .filter(([name]) => !byRole.includes(name))
        .filter(([name]) => permissions.includes(routes[name as keyof typeof routes].permission as Permission))
        .map(([name]) => `${role}: ${name}`),
    )
  expect(able, 'these roles deploy, and remove the rule that stops their own release').toEqual([])
})

test('every gate blocks something, and every effect is used', () => {
  const stopping = new Set<string>(Object.values(effects).flatMap(({ gates }) => gates))
  expect(Object.keys(gates).filter((one) => !stopping.has(one))).toEqual([])
  const used = new Set(Object.values(rows).map(({ effect }) => effect))
  expect(Object.keys(effects).filter((one) => !used.has(one as Row['effect']))).toEqual([])
})
