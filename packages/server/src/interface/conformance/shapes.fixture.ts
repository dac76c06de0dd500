import type { Shape } from './shape.fixture.ts'

// Transcribed manually from sections 2 and 3 of the interface specification, independent of the contract package.

export const userFacingError: Shape = {
  code: 'string',
  message: 'string',
  'description?': 'string',
  'action?': { label: 'string', url: 'string' },
  'details?': {
    each: { title: 'string', render: { oneOf: ['list', 'object'] }, 'items?': { each: 'string' }, 'object?': 'object' },
  },
  'isInternal?': 'boolean',
  'metadata?': 'object',
  'requestId?': 'string',
}

const serviceRevision: Shape = {
  pendingTaskCount: 'integer',
  requestedTaskCount: 'integer',
  runningTaskCount: 'integer',
  serviceRevisionArn: 'string',
  'requestedProductionTrafficWeight?': 'integer',
  'requestedTestTrafficWeight?': 'integer',
}

const taskDefinition: Shape = { arn: 'string', definition: 'object', revision: 'integer' }

const ecsData: Shape = {
  clusterArn: 'string',
  serviceArn: 'string',
  type: { oneOf: ['cloud:ecs'] },
  'acceptedPauseControl?': {
    acceptedAt: 'UtcDateTime',
    action: 'string',
    hookId: 'string',
    'eventStartedAt?': 'UtcDateTime',
    'labelKind?': 'string',
    'lifecycleStage?': 'string',
  },
  'deployedTaskDefinition?': taskDefinition,
  'previousTaskDefinition?': taskDefinition,
  'detectedVia?': 'string',
  'initiationType?': 'string',
  'ecsModuleDeploymentId?': 'string',
  'elbListenerState?': {
    each: {
      capturedAt: 'UtcDateTime',
      loadBalancerArn: 'string',
      loadBalancerDnsName: 'string',
      rules: {
        each: {
          isDefaultRule: 'boolean',
          listenerArn: 'string',
          port: 'integer',
          protocol: 'string',
          ruleArn: 'string',
          targetGroupArn: 'string',
          'hostHeaders?': { each: 'string' },
          'pathPatterns?': { each: 'string' },
          'rulePriority?': 'integer',
          'targetGroupName?': 'string',
        },
      },
    },
  },
  'events?': {
    each: {
      currentStep: 'integer',
      startedAt: 'UtcDateTime',
      stepCode: 'string',
      totalSteps: 'integer',
      'desiredCount?': 'integer',
      'hookId?': 'string',
      'lifecycleStage?': 'string',
      'message?': 'string',
      'trafficPhase?': 'string',
    },
  },
  'postDeployEnabled?': 'boolean',
  'preDeployEnabled?': 'boolean',
  'revertExternalDeploymentId?': 'string',
  'revertRequestedAt?': 'UtcDateTime',
  'revertServiceDeploymentArn?': 'string',
  'serviceDeploymentArn?': 'string',
  'serviceDeploymentState?': {
    acceptsNativeStandbyRevert: 'boolean',
    observedAt: 'UtcDateTime',
    serviceDeploymentArn: 'string',
    status: 'string',
    'lifecycleStage?': 'string',
    'statusReason?': 'string',
    'strategy?': 'string',
    'trafficPhase?': 'string',
    'sourceServiceRevisions?': { each: serviceRevision },
    'targetServiceRevision?': serviceRevision,
  },
  'strategy?': 'string',
  'triggerChannel?': 'string',
  'triggeredBy?': 'string',
}

export const deployment: Shape = {
  id: 'string',
  createdAt: 'UtcDateTime',
  updatedAt: 'UtcDateTime',
  organizationId: 'string',
  moduleInstanceId: 'string',
  projectId: 'string',
  environmentId: 'string',
  description: 'string',
  status: { oneOf: ['PENDING', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED', 'ROLLING_BACK', 'ROLLED_BACK'] },
  deploymentType: 'string',
  triggerSource: 'string',
  'startedAt?': 'UtcDateTime',
  'completedAt?': 'UtcDateTime',
  'data?': ecsData,
  'error?': userFacingError,
  'externalDeploymentId?': 'string',
  'resourceArn?': 'string',
  'resourceName?': 'string',
  'pipelineRunId?': 'string',
  'stepExecutionId?': 'string',
  'redeployOfDeploymentId?': 'string',
  'rollbackToDeploymentId?': 'string',
}

export const principal: Shape = {
  authSource: 'string',
  email: 'string',
  globalRole: 'string',
  identityId: 'string',
  identityType: 'string',
  membershipId: 'string',
  organizationId: 'string',
  organizationName: 'string',
  principalType: 'string',
  role: 'string',
  userId: 'string',
  'fullName?': 'string',
  'shortName?': 'string',
}

export const defaultValue: Shape = {
  id: 'string',
  organizationId: 'string',
  defaultValueDefinitionId: 'string',
  parentId: 'string',
  parentType: { oneOf: ['organization', 'project', 'environment'] },
  value: 'any',
  createdAt: 'UtcDateTime',
  updatedAt: 'UtcDateTime',
}

// The specification does not say which fields of a source are required.
const logSource: Shape = {
  'cloud_account_id?': 'string',
  'filter_pattern?': 'string',
  'log_group?': 'string',
  'log_stream_prefix?': 'string',
  'region?': 'string',
  type: { oneOf: ['cloud_monitor'] },
}

const metricSource: Shape = {
  'cloud_account_id?': 'string',
  'dimensions?': 'object',
  'name?': 'string',
  'namespace?': 'string',
  'region?': 'string',
  'statistic?': 'string',
  type: { oneOf: ['cloud_monitor'] },
}

export const moduleInstance: Shape = {
  createdAt: 'UtcDateTime',
  environmentId: 'string',
  givenId: 'string',
  id: 'string',
  input: 'object',
  moduleDefinitionId: 'string',
  moduleVersionId: 'string',
  name: 'string',
  organizationId: 'string',
  projectId: 'string',
  status: 'string',
  type: 'string',
  updatedAt: 'UtcDateTime',
  'description?': 'string',
  'error?': userFacingError,
  'stackId?': 'string',
  'ui?': {
    'links?': { each: { href: 'string', name: 'string' } },
    'logs?': { each: { id: 'string', name: 'string', source: logSource } },
    'metrics?': { each: { id: 'string', name: 'string', source: metricSource, type: { oneOf: ['line'] } } },
  },
}

export const pipeline: Shape = {
  createdAt: 'UtcDateTime',
  givenId: 'string',
  id: 'string',
  name: 'string',
  projectId: 'string',
  updatedAt: 'UtcDateTime',
  'description?': 'string',
  'latestRunId?': 'string',
  'latestRunStatus?': 'string',
  'organizationId?': 'string',
}

export const pipelineVersion: Shape = {
  config: 'object',
  createdAt: 'UtcDateTime',
  id: 'string',
  pipelineId: 'string',
  updatedAt: 'UtcDateTime',
  version: 'integer',
  'createdById?': 'string',
  'organizationId?': 'string',
}

export const pipelineVersionDryRun: Shape = {
  patch: {
    each: {
      op: 'string',
      path: 'string',
      'from?': 'string',
      'fromValue?': 'any',
      'pathLabel?': 'string',
      'value?': 'any',
    },
  },
  pipelineId: 'string',
  'baseVersion?': 'integer',
  'baseVersionId?': 'string',
}

// The specification does not say which of these are required.
export const codeSource: Shape = {
  'accessLost?': 'boolean',
  'auth?': { kind: 'string', 'githostaInstallationId?': 'string', 'githostbConnectionId?': 'string' },
  'createdAt?': 'UtcDateTime',
  'defaultBranch?': 'string',
  'gitRepositoryId?': 'string',
  id: 'string',
  'organizationId?': 'string',
  'repoName?': 'string',
  'repoUrl?': 'string',
  'type?': 'string',
  'updatedAt?': 'UtcDateTime',
  'visibility?': 'string',
}

export const cloudAccount: Shape = {
  createdAt: 'UtcDateTime',
  givenId: 'string',
  id: 'string',
  name: 'string',
  organizationId: 'string',
  status: 'string',
  updatedAt: 'UtcDateTime',
  'cloudArn?': 'string',
  'cloudId?': 'string',
  'cfnStackId?': 'string',
  'latestRoleVersion?': 'string',
  'latestRoleVersionDescription?': 'string',
  'roleVersion?': 'string',
}

export const moduleDefinition: Shape = {
  createdAt: 'UtcDateTime',
  description: 'string',
  id: 'string',
  name: 'string',
  status: { oneOf: ['DRAFT', 'ACTIVE'] },
  type: 'string',
  updatedAt: 'UtcDateTime',
  'latestVersion?': 'string',
  'latestVersionId?': 'string',
  'organizationId?': 'string',
}

export const iacResource: Shape = {
  address: 'string',
  changeType: 'string',
  createdAt: 'UtcDateTime',
  driftStatus: 'string',
  id: 'string',
  isInCurrentState: 'boolean',
  organizationId: 'string',
  pipelineRunId: 'string',
  provider: 'string',
  resourceName: 'string',
  resourceType: 'string',
  runType: 'string',
  stackId: 'string',
  stepExecutionId: 'string',
  tainted: 'boolean',
  updatedAt: 'UtcDateTime',
  vendor: 'string',
  vendorData: { before: 'any', after: 'any' },
  'error?': userFacingError,
  'indexKey?': 'string',
  'moduleAddress?': 'string',
}

const runReference: Shape = {
  changeType: 'string',
  id: 'string',
  'description?': 'string',
  'failed?': 'boolean',
  'startedAt?': 'UtcDateTime',
}

export const changeSummary: Shape = {
  address: 'string',
  fromRun: runReference,
  pipelineId: 'string',
  provider: 'string',
  resourceName: 'string',
  resourceType: 'string',
  runsInRange: 'integer',
  toRun: runReference,
  'indexKey?': 'string',
  'moduleAddress?': 'string',
}

export const pipelineStepExecution: Shape = {
  attemptEpoch: 'integer',
  createdAt: 'UtcDateTime',
  id: 'string',
  isLastRetry: 'boolean',
  organizationId: 'string',
  pipelineRunId: 'string',
  queueMetadata: 'object',
  queueReason: 'string',
  retryAttempt: 'integer',
  status: 'string',
  stepId: 'string',
  stepName: 'string',
  stepType: 'string',
  engineRunId: 'string',
  engineWorkflowId: 'string',
  updatedAt: 'UtcDateTime',
  'completedAt?': 'UtcDateTime',
  'startedAt?': 'UtcDateTime',
  'error?': userFacingError,
  'inputData?': 'object',
  'outputData?': 'object',
  'statusDetail?': 'object',
  'moduleInstanceId?': 'string',
  'logs?': { cloudAccountId: 'string', logGroupName: 'string', logStreamPrefix: 'string', region: 'string' },
}

/** Section 2.14. */
export const listOf = (resource: Shape): Shape => ({
  data: { each: resource },
  meta: { limit: 'integer', nextCursor: 'string', totalCount: 'integer' },
})

export const dataOf = (resource: Shape): Shape => ({ data: resource })
