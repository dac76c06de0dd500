import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { DeploymentStatus, deploymentTypes } from './deployment.ts'
import { DeploymentDifferences } from './deployment-differences.ts'

const closed = { additionalProperties: false } as const

/** What a deployment check examines. Each finding has one of these codes, and so does each check that could not run. */
export const deploymentCheckCodes = [
  'ACCOUNT_ACCESS_DENIED',
  'SERVICE_MISSING',
  'SERVICE_NOT_SUPPORTED',
  'LISTENER_RULE_INVALID',
  'ALARM_ACTIVE',
  'ALARM_MISSING',
  'TARGETS_UNHEALTHY',
  'TARGET_GROUP_MISSING',
  'IMAGE_MISSING',
  'IMAGE_ARCHITECTURE_WRONG',
  'ROLE_MISSING',
  'ROLE_NOT_TRUSTED',
  'ROLE_NOT_PASSABLE',
  'PERMISSION_MISSING',
  'SECRET_MISSING',
  'LOG_GROUP_MISSING',
  'FARGATE_SIZE_INVALID',
  'NETWORK_MISSING',
  'ADDRESSES_INSUFFICIENT',
  'FUNCTION_MISSING',
  'FUNCTION_BUSY',
  'ALIAS_MISSING',
  'CALLS_NOT_SHARED',
  'CODE_MISSING',
  'FILES_MISSING',
  'DISTRIBUTION_MISSING',
  'KEY_VALUE_STORE_MISSING',
  'GROUP_MISSING',
  'GROUP_EMPTY',
  'INSTANCE_UNREACHABLE',
  'RESOURCE_TAKEN',
  'RELEASE_PAUSES',
  'QUEUE_FULL',
  'SUPERSEDES_QUEUED',
  'SUPERSEDED_BY_QUEUED',
] as const
export const DeploymentCheckCode = Type.Enum(deploymentCheckCodes, { description: 'What was examined.' })
export type DeploymentCheckCode = Static<typeof DeploymentCheckCode>

const CheckedInput = Type.Object(
  {
    of: Type.Enum(['DEPLOYMENT', 'MODULE_INSTANCE'], {
      description: 'Whether the input is given to the deployment or to the module instance.',
    }),
    name: Type.String({ description: 'Name of the input.' }),
  },
  { ...closed, description: 'Input that the value comes from.' },
)

const path = Type.Optional(
  Type.String({
    description: 'Path in the deploy block of the module. Absent if the cause is not in the module.',
    examples: ['deploy.task_definition.container_definitions[0].image'],
  }),
)

export const DeploymentCheckFinding = Type.Object(
  {
    severity: Type.Enum(['ERROR', 'WARNING', 'INFO'], {
      description: 'ERROR: the deployment would fail. WARNING: it can fail or is unguarded. INFO: worth knowing.',
    }),
    code: DeploymentCheckCode,
    message: Type.String({ description: 'What was found.' }),
    remedy: Type.String({ description: 'What to do about it.' }),
    path,
    inputs: Type.Optional(
      Type.Array(CheckedInput, {
        description: 'Inputs that the value at `path` is made of. Absent if there are none.',
      }),
    ),
  },
  { ...closed, description: 'Result of one check that did not pass.' },
)
export type DeploymentCheckFinding = Static<typeof DeploymentCheckFinding>

export const UncheckedPart = Type.Object(
  {
    code: DeploymentCheckCode,
    message: Type.String({ description: 'What could not be checked, and why.' }),
    remedy: Type.Optional(Type.String({ description: 'What makes the check possible.' })),
    path,
  },
  { ...closed, description: 'Check that could not be made, such as one that the role may not read for.' },
)
export type UncheckedPart = Static<typeof UncheckedPart>

export const DeploymentCheckGate = Type.Object(
  {
    gate: Type.Enum(['HOLD', 'FREEZE', 'APPROVAL_RULE', 'POLICY'], { description: 'Kind of the release gate.' }),
    effect: Type.Enum(['WAIT', 'REQUIRE_APPROVAL', 'REJECT'], {
      description:
        'WAIT: the deployment waits. REQUIRE_APPROVAL: it waits until it is approved. REJECT: it is rejected or cancelled.',
    }),
    message: Type.String({ description: 'Which gate it is and, where it is known, when it ends.' }),
    liftedBy: Type.String({ description: 'Who can lift, override or approve it, and how.' }),
    permission: Type.String({ description: 'Permission that lifting, overriding or approving requires.' }),
    until: Type.Optional({ ...UtcDateTime, description: 'Time when the gate ends if nothing else changes.' }),
  },
  { ...closed, description: 'Release gate that blocks the deployment now.' },
)
export type DeploymentCheckGate = Static<typeof DeploymentCheckGate>

const QueuedBefore = Type.Object(
  {
    deploymentId: Id,
    status: DeploymentStatus,
    description: Type.String({ description: 'Description provided by the user.' }),
    createdAt: UtcDateTime,
  },
  { ...closed, description: 'Deployment of the same module instance that must end first.' },
)

const { againstDeploymentId, unknown, differences } = DeploymentDifferences.properties

export const DeploymentCheck = Type.Object(
  {
    moduleInstanceId: Id,
    deploymentType: Type.Enum(deploymentTypes, { description: 'Type of the deployment.' }),
    outcome: Type.Enum(['CAN_SUCCEED', 'WILL_WAIT', 'WILL_FAIL', 'UNKNOWN'], {
      description:
        'WILL_FAIL: a finding is an ERROR, or a gate rejects the deployment. WILL_WAIT: gates or other deployments delay it. UNKNOWN: nothing blocks it, but a check could not be made. CAN_SUCCEED: every check passed without an ERROR.',
    }),
    findings: Type.Array(DeploymentCheckFinding, { description: 'Findings, the most severe first.' }),
    unchecked: Type.Array(UncheckedPart, { description: 'Checks that could not be made.' }),
    gates: Type.Array(DeploymentCheckGate, {
      description: 'Release gates that block the deployment now, in the order in which they would stop it.',
    }),
    queue: Type.Array(QueuedBefore, {
      description: 'Deployments that run or wait before this one, in the order in which they end.',
    }),
    differences: Type.Object(
      { againstDeploymentId, unknown, differences },
      { ...closed, description: 'Differences to the last successful deployment of the module instance.' },
    ),
  },
  { ...closed, description: 'Result of checking a deployment before it is created. Nothing is stored or changed.' },
)
export type DeploymentCheck = Static<typeof DeploymentCheck>
