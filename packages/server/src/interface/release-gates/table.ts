import type { Access, routes } from '@sluice/contract'
import type { ChoiceId } from '../../notifications/notification-deliveries/messages/requested-decision.ts'
import type { StepType } from '../../pipelines/pipeline-versions/config/schema.ts'

type OperationId = keyof typeof routes

/** Release gates, and the file that implements each. */
export const gates = {
  HOLD: { what: '[Holds](../how-to/holds.md)', decidedIn: 'gates/holds/machine.ts' },
  FREEZE: { what: '[Freezes](../how-to/freezes.md)', decidedIn: 'gates/freezes/machine.ts' },
  APPROVAL_RULE: {
    what: '[Approval rules](../how-to/approval-rules.md)',
    decidedIn: 'gates/approval-rules/machine.ts',
  },
  POLICY: { what: '[Policies](policies.md)', decidedIn: 'gates/policies/machine.ts' },
  PROMOTION_RULE: { what: '[Promotion rules](../how-to/promotion.md)', decidedIn: 'delivery/promotions/machine.ts' },
  RELEASE_ORDER: {
    what: '[No newer release than runs now](../how-to/rollback.md)',
    decidedIn: 'delivery/deployments/create/release-order.ts',
  },
  PRODUCTION_MARK: {
    what: '[The production mark](../how-to/preview-environments.md) of a cloud account, for previews',
    decidedIn: 'delivery/deployments/create/accept.ts',
  },
  LIMIT: { what: 'The limits of the organization and of the queue', decidedIn: 'platform/limits/table.ts' },
  PERMISSION: {
    what: '[The permissions](roles.md) of the user who started it',
    decidedIn: 'pipelines/pipeline-runs/permissions.ts',
  },
  STATE_LOCK: { what: 'The lock of the state', decidedIn: 'stacks/iac-states/locks.ts' },
} as const
export type Gate = keyof typeof gates

/** What each operation changes: deployments, infrastructure or gates, and which gates apply to it. */
export const effects = {
  RELEASE: {
    what: 'Releases a version to a module instance',
    gates: ['HOLD', 'FREEZE', 'APPROVAL_RULE', 'POLICY', 'PRODUCTION_MARK', 'LIMIT'],
  },
  PROMOTION: {
    what: 'Releases what runs in one environment to another',
    gates: ['PROMOTION_RULE', 'HOLD', 'FREEZE', 'APPROVAL_RULE', 'POLICY', 'PRODUCTION_MARK', 'LIMIT'],
  },
  ROLLBACK: {
    what: 'Returns to an earlier release. Freezes, approval rules and policies count where they name rollbacks',
    gates: ['RELEASE_ORDER', 'FREEZE', 'APPROVAL_RULE', 'POLICY', 'PRODUCTION_MARK'],
  },
  CONTINUE: { what: 'Continues a release that is paused', gates: ['FREEZE'] },
  STOP: { what: 'Stops or reverts a release. No gate blocks it', gates: [] },
  RUN: {
    what: 'Starts a run, or has runs start later. Each step passes the gates of what it does',
    gates: ['POLICY', 'LIMIT'],
  },
  DECISION: { what: 'Counts as the decision of a person', gates: ['APPROVAL_RULE'] },
  APPLY: {
    what: 'Changes or destroys infrastructure',
    gates: ['FREEZE', 'APPROVAL_RULE', 'POLICY', 'PERMISSION', 'STATE_LOCK'],
  },
  STATE: { what: 'Changes a state, and no infrastructure', gates: ['STATE_LOCK'] },
  TIGHTEN: { what: 'Adds a gate, or takes an approval back', gates: [] },
  GATE: { what: 'Changes or overrides a gate. Only permissions can block it', gates: [] },
  RECORD: { what: 'Notes what runs already', gates: [] },
} as const satisfies Record<string, { what: string; gates: readonly Gate[] }>
export type Effect = keyof typeof effects

/** `from`: the files that start it, below `packages/server/src`. `weakens`: the gate that it can open. */
export type Row = { effect: Effect; from: string | readonly string[]; weakens?: Gate }

const deploymentRoutes = 'delivery/deployments/routes.ts'
const approvalRoutes = 'delivery/deployments/approvals/routes.ts'
const runRoutes = 'pipelines/pipeline-runs/routes.ts'
const stepRoutes = 'pipelines/pipeline-step-executions/routes.ts'
const instanceRoutes = 'modules/module-instances/routes.ts'
const previewRoutes = 'infrastructure/preview-environments/routes.ts'
const triggers = ['pipelines/pipeline-triggers/start-triggered.ts', 'infrastructure/instance-runs/triggered-runs.ts']

/** Row of an operation that can open a gate. */
const gate = (weakens: Gate, from: string): Row => ({ effect: 'GATE', weakens, from })

/** Operations of the interface that change deployments, infrastructure or a gate. */
export const requests = {
  createDeployment: { effect: 'RELEASE', from: deploymentRoutes },
  redeployDeployment: { effect: 'RELEASE', from: deploymentRoutes },
  promoteDeployment: { effect: 'PROMOTION', from: deploymentRoutes },
  rollbackDeployment: { effect: 'ROLLBACK', from: deploymentRoutes },
  continueDeployment: { effect: 'CONTINUE', from: deploymentRoutes },
  cancelDeployment: { effect: 'STOP', from: deploymentRoutes },
  approveDeployment: { effect: 'DECISION', from: approvalRoutes },
  rejectDeployment: { effect: 'STOP', from: approvalRoutes },
  withdrawDeploymentApproval: { effect: 'TIGHTEN', from: approvalRoutes },

  createPipelineRun: { effect: 'RUN', from: runRoutes },
  retryPipelineRun: { effect: 'RUN', from: [runRoutes, 'pipelines/pipeline-runs/retry.ts'] },
  cancelPipelineRun: { effect: 'STOP', from: runRoutes },
  approvePipelineStepExecution: { effect: 'DECISION', from: stepRoutes },
  rejectPipelineStepExecution: { effect: 'STOP', from: stepRoutes },
  withdrawPipelineStepApproval: { effect: 'TIGHTEN', from: stepRoutes },
  approvePipelineVersion: { effect: 'DECISION', from: 'pipelines/pipeline-versions/routes.ts' },
  withdrawPipelineVersionApproval: { effect: 'TIGHTEN', from: 'pipelines/pipeline-versions/routes.ts' },
  createPipelineVersion: { effect: 'RUN', from: 'pipelines/pipeline-versions/routes.ts' },
  receiveGitHostAWebhook: { effect: 'RUN', from: triggers },
  receiveGitHostBWebhook: { effect: 'RUN', from: triggers },
  receiveSlackInteraction: { effect: 'DECISION', from: 'notifications/slack-presses/press.ts' },

  createModuleInstance: { effect: 'RUN', from: instanceRoutes },
  updateModuleInstance: { effect: 'RUN', from: instanceRoutes },
  applyModuleInstances: { effect: 'RUN', from: [instanceRoutes, 'infrastructure/instance-runs/apply.ts'] },
  deleteModuleInstance: { effect: 'RUN', from: instanceRoutes },
  importModuleInstance: { effect: 'RECORD', from: 'delivery/module-imports/import.ts' },
  receiveCloudEvent: { effect: 'RECORD', from: 'delivery/infrastructure-events/external.ts' },
  recordAppliedFiles: { effect: 'RECORD', from: 'interface/applied-files/routes.ts' },

  createWatchedRepository: { effect: 'RUN', from: 'interface/watched-repositories/routes.ts' },
  updateWatchedRepository: { effect: 'RUN', from: 'interface/watched-repositories/routes.ts' },
  deleteWatchedRepository: { effect: 'STOP', from: 'interface/watched-repositories/routes.ts' },
  applyWatchedRepository: { effect: 'DECISION', from: 'interface/watched-repositories/routes.ts' },
  checkWatchedRepository: { effect: 'RUN', from: 'interface/watched-repositories/routes.ts' },

  createPreviewTemplate: { effect: 'RUN', from: previewRoutes },
  updatePreviewTemplate: { effect: 'RUN', from: previewRoutes },
  deletePreviewTemplate: { effect: 'STOP', from: previewRoutes },
  extendPreviewEnvironment: { effect: 'STOP', from: previewRoutes },
  endPreviewEnvironment: { effect: 'RUN', from: previewRoutes },
  retryPreviewEnvironment: { effect: 'RUN', from: previewRoutes },
  checkStackDrift: { effect: 'RUN', from: 'infrastructure/stack-drift/start-check.ts' },
  updateStackDrift: { effect: 'RUN', from: 'infrastructure/stack-drift/routes.ts' },

  restoreIacState: { effect: 'STATE', from: 'stacks/iac-states/routes.ts' },
  breakStateLock: { effect: 'GATE', weakens: 'STATE_LOCK', from: 'stacks/iac-states/routes.ts' },

  createHold: { effect: 'TIGHTEN', from: 'gates/holds/routes.ts' },
  liftHold: gate('HOLD', 'gates/holds/routes.ts'),
  updateHoldRule: gate('HOLD', 'gates/holds/routes.ts'),
  createFreeze: { effect: 'TIGHTEN', from: 'gates/freezes/routes.ts' },
  updateFreeze: gate('FREEZE', 'gates/freezes/routes.ts'),
  deleteFreeze: gate('FREEZE', 'gates/freezes/routes.ts'),
  createFreezeOverride: gate('FREEZE', 'gates/freezes/routes.ts'),
  createApprovalRule: { effect: 'TIGHTEN', from: 'gates/approval-rules/routes.ts' },
  updateApprovalRule: gate('APPROVAL_RULE', 'gates/approval-rules/routes.ts'),
  deleteApprovalRule: gate('APPROVAL_RULE', 'gates/approval-rules/routes.ts'),
  createApprovalDelegation: { effect: 'DECISION', from: 'gates/approval-delegations/routes.ts' },
  deleteApprovalDelegation: { effect: 'TIGHTEN', from: 'gates/approval-delegations/routes.ts' },
  createPolicy: { effect: 'TIGHTEN', from: 'gates/policies/routes.ts' },
  updatePolicy: gate('POLICY', 'gates/policies/routes.ts'),
  deletePolicy: gate('POLICY', 'gates/policies/routes.ts'),
  createPolicyOverride: gate('POLICY', 'gates/policies/routes.ts'),
  createPromotionRule: gate('PROMOTION_RULE', 'delivery/promotions/routes.ts'),
  updatePromotionRule: gate('PROMOTION_RULE', 'delivery/promotions/routes.ts'),
  deletePromotionRule: gate('PROMOTION_RULE', 'delivery/promotions/routes.ts'),
  updateEnvironmentOrder: gate('PROMOTION_RULE', 'projects/environments/routes.ts'),
  updateProductionMark: gate('PRODUCTION_MARK', 'cloud/cloud-accounts/routes.ts'),
  updateEnvironment: gate('PERMISSION', 'projects/environments/routes.ts'),
  deleteEnvironment: gate('PERMISSION', 'projects/environments/routes.ts'),
  updateProject: gate('PERMISSION', 'projects/projects/routes.ts'),
  deleteProject: gate('PERMISSION', 'projects/projects/routes.ts'),
} as const satisfies Partial<Record<OperationId, Row>>

/** Effects of pipeline steps. A missing step type is a compile error. */
export const steps = {
  approval: undefined,
  build: undefined,
  command: undefined,
  http: undefined,
  rehearse: undefined,
  'iac:plan': undefined,
  'iac:drift': undefined,
  'iac:apply': { effect: 'APPLY', from: 'pipelines/pipeline-runs/advance.ts' },
  'iac:destroy': { effect: 'APPLY', from: 'pipelines/pipeline-runs/advance.ts' },
  deploy: { effect: 'RELEASE', from: 'pipelines/pipeline-step-executions/work/deploy.ts' },
  'deploy-swap': { effect: 'CONTINUE', from: 'pipelines/pipeline-step-executions/work/deploy.ts' },
  pipeline: { effect: 'RUN', from: 'pipelines/pipeline-step-executions/work/pipeline.ts' },
} as const satisfies Record<StepType, Row | undefined>

/** Actions of Sluice itself, without a current request. */
export const ownActions = {
  'A promotion rule that is automatic': {
    effect: 'PROMOTION',
    from: ['delivery/promotions/automatic.ts', 'delivery/promotions/promote.ts'],
  },
  'Checks that let a pause continue': { effect: 'CONTINUE', from: 'delivery/deployments/execution/handlers.ts' },
  'A pause of a function whose time is over': {
    effect: 'CONTINUE',
    from: 'delivery/deployments/types/lambda/shifts.ts',
  },
  'A rollback that a deployment begins itself, by its checks, alarms or commands': {
    effect: 'STOP',
    from: 'delivery/deployments/execution/handlers.ts',
  },
  'A push, a pull request, a schedule or the end of another run': { effect: 'RUN', from: triggers },
  'An instance whose turn comes behind others that are applied': {
    effect: 'RUN',
    from: ['infrastructure/instance-runs/ended.ts', 'infrastructure/instance-runs/start.ts'],
  },
  'A check for drift, and what undoes the drift': {
    effect: 'RUN',
    from: ['infrastructure/stack-drift/start-check.ts', 'infrastructure/stack-drift/ended.ts'],
  },
  'The environment of a pull request': { effect: 'RUN', from: 'infrastructure/preview-environments/reconcile.ts' },
  'A release from outside that is noticed': {
    effect: 'RECORD',
    from: [
      'delivery/infrastructure-events/external.ts',
      'delivery/external-deployments/detect.ts',
      'delivery/external-deployments/services.ts',
      'delivery/deployments/external/adopt-finished.ts',
    ],
  },
  'The state that a step of infrastructure writes': {
    effect: 'STATE',
    from: ['infrastructure/state-backend/routes.ts', 'infrastructure/iac-steps/leftover-state.ts'],
  },
} as const satisfies Record<string, Row>

/** Actions in Slack, which call the interface as the user. */
export const presses = {
  approve: ['approveDeployment', 'approvePipelineStepExecution'],
  reject: ['rejectDeployment', 'rejectPipelineStepExecution'],
  continue: ['continueDeployment'],
  cancel: ['cancelDeployment'],
} as const satisfies Record<ChoiceId, readonly (keyof typeof requests)[]>

/**
 * Permissions of operations that change neither deployments nor gates: read operations, those of owners that manage
 * access, and these. All others are in a table above, or listed below.
 */
export const inertAccess = [
  'caller',
  'certificates:write',
  'code-sources:write',
  'default-value-definitions:write',
  'default-values:write',
  'domains:write',
  'execution-environments:write',
  'module-definitions:write',
  'notification-channels:write',
  'policies:read',
  'price-list:write',
] as const satisfies readonly Access[]

/** Harmless operations whose permission also allows operations with an effect. */
export const inert = [
  // Sign-in without authentication.
  ...(['acceptInvitation', 'beginSignIn', 'exchangeIdToken', 'finishDeviceSignIn', 'login', 'register'] as const),
  ...(['signOutByProvider', 'startDeviceSignIn'] as const),
  // Reads the cloud account and creates nothing.
  'createDeploymentCheck',
  // Settings that take effect with the next release or run.
  ...(['createCloudAccount', 'updateCloudAccount', 'connectCloudAccount', 'deleteCloudAccount'] as const),
  'createEventSecret',
  'createRehearsal',
  ...(['createProject', 'createEnvironment', 'updateEnvironmentNetwork', 'deleteEnvironmentNetwork'] as const),
  ...(['createPipeline', 'updatePipeline', 'deletePipeline'] as const),
  ...(['createStack', 'updateStack', 'deleteStack', 'createStackWorkspace', 'deleteStackWorkspace'] as const),
] as const satisfies readonly OperationId[]
