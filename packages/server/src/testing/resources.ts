import { hash, randomBytes } from 'node:crypto'
import type { PolicyRules, Provenance } from '@sluice/contract'
import { certificates } from '../cloud/certificates/tables.ts'
import { cloudAccounts } from '../cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../cloud/execution-environments/tables.ts'
import { deploymentArchives } from '../delivery/deployment-archives/tables.ts'
import { deploymentApprovals } from '../delivery/deployments/approvals/tables.ts'
import { deployments } from '../delivery/deployments/store/tables.ts'
import { infrastructureEvents } from '../delivery/infrastructure-events/tables.ts'
import { promotionRules, promotions } from '../delivery/promotions/tables.ts'
import { rehearsals } from '../delivery/rehearsals/tables.ts'
import {
  approvalDelegations,
  approvalRules,
  type FreezeRules,
  freezes,
  holds,
  policies,
  policyOverrides,
  policyVersions,
} from '../gates/tables.ts'
import { codeSources } from '../git/code-sources/tables.ts'
import { githostaInstallations } from '../git/githosta-installations/tables.ts'
import { githostbConnections } from '../git/githostb-connections/tables.ts'
import { githostbInstances } from '../git/githostb-instances/tables.ts'
import { auditEvents } from '../identity/audit-events/tables.ts'
import { invitations } from '../identity/invitations/tables.ts'
import {
  apiKeys,
  identities,
  identityProviders,
  memberships,
  organizations,
  serviceAccounts,
  serviceAccountTrusts,
  users,
} from '../identity/organizations/tables.ts'
import { sessions } from '../identity/sessions/tables.ts'
import { signInDomains } from '../identity/sign-in-domains/tables.ts'
import { slackAccounts } from '../identity/slack-accounts/tables.ts'
import { teamMembers, teams } from '../identity/teams/tables.ts'
import { iacResources } from '../infrastructure/iac-resources/tables.ts'
import { previewEnvironments, previewTemplates } from '../infrastructure/preview-environments/tables.ts'
import { watchedRepositories } from '../interface/watched-repositories/tables.ts'
import { moduleDefinitions, moduleVersions } from '../modules/module-definitions/tables.ts'
import { moduleInstances } from '../modules/module-instances/tables.ts'
import { type NotificationChannelRow, notificationChannels } from '../notifications/notification-channels/tables.ts'
import { notificationDeliveries } from '../notifications/notification-deliveries/tables.ts'
import { notificationEvents } from '../notifications/notification-events/tables.ts'
import { slackInteractions } from '../notifications/slack-presses/tables.ts'
import { artifacts } from '../pipelines/artifacts/tables.ts'
import { executionAssignments } from '../pipelines/execution-assignments/tables.ts'
import { iacPlans } from '../pipelines/iac-plans/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../pipelines/pipelines/tables.ts'
import { runners } from '../pipelines/runner-pools/tables.ts'
import { runnerTasks } from '../pipelines/runner-tasks/tables.ts'
import { runnerTokens } from '../pipelines/runner-tokens/tables.ts'
import { newRunnerToken, storedRunnerToken } from '../pipelines/runner-tokens/token.ts'
import { stepApprovals } from '../pipelines/step-approvals/tables.ts'
import { stepArtifactPieces, stepArtifacts } from '../pipelines/step-artifacts/tables.ts'
import { archivedStepLogs } from '../pipelines/step-logs/tables.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'
import { defaultValueDefinitions, defaultValues } from '../projects/default-values/tables.ts'
import { domains } from '../projects/domains/tables.ts'
import { environmentNetworks } from '../projects/environment-networks/tables.ts'
import { environments, projects } from '../projects/projects/tables.ts'
import { roleGrants } from '../projects/role-grants/tables.ts'
import { iacStateVersions } from '../stacks/iac-states/tables.ts'
import { stacks, stackWorkspaces } from '../stacks/stacks/tables.ts'

/** Realistic address that contains every character a path must encode. */
export const iacAddress = 'module.web["a/b"].cloud_service.app[0]'

const hex = () => randomBytes(16).toString('hex')

/**
 * Creates one record of every type, in a new or existing organization, by the path that serves it. Suites that iterate
 * over all routes take their resources from here.
 */
export const createOneOfEverything = (db: Db, existing?: { organizationId: string }) =>
  // Committing each row separately would take a third longer.
  db.transaction((tx) => createOneOfEverythingIn(tx, existing))

async function createOneOfEverythingIn(db: Db, existing?: { organizationId: string }) {
  const { organizationId } = existing ?? (await createOrganization(db))
  const own = { organizationId }
  const named = () => ({ ...own, name: 'One', givenId: `one-${hex()}` })

  const userId = newId('usr')
  const membershipId = newId('mem')
  await db.insert(users).values({ id: userId, email: `${hex()}@example.com`, fullName: 'Ada Lovelace' })
  await db.insert(memberships).values({ id: membershipId, ...own, userId, role: 'VIEWER' })
  const apiKeyId = newId('key')
  await db.insert(apiKeys).values({ id: apiKeyId, ...own, membershipId, name: 'one', ...storedApiKey(newApiKey()) })
  const identityId = newId('idn')
  await db.insert(identities).values({ id: identityId, userId, type: 'EMAIL_PASSWORD', passwordHash: hex() })
  const sessionId = newId('ses')
  const signedIn = { membershipId, identityId, tokenHash: hex(), expiresAt: new Date(Date.now() + 86_400_000) }
  await db.insert(sessions).values({ id: sessionId, ...own, ...signedIn })
  const serviceAccountId = newId('sa')
  await db.insert(serviceAccounts).values({ id: serviceAccountId, ...own, name: hex(), role: 'VIEWER' })
  const client = { issuer: 'https://id.example.com', clientId: 'sluice', sealedClientSecret: 'v1' }
  const provider = { ...own, name: 'One', ...client, groupsClaim: 'groups', groupRoles: [] }
  const [{ identityProviderId } = { identityProviderId: '' }] = await db
    .insert(identityProviders)
    .values({ id: newId('idp'), ...provider })
    .onConflictDoUpdate({ target: identityProviders.organizationId, set: provider }) // an organization has one at most
    .returning({ identityProviderId: identityProviders.id })
  const signInDomainId = newId('sid')
  await db.insert(signInDomains).values({ id: signInDomainId, ...own, domain: `${hex()}.example`, challenge: hex() })
  const trustId = newId('sat')
  const trusted = { issuer: 'https://ci.example.com', audience: 'sluice', subject: hex(), claims: {} }
  const trust = { serviceAccountId, name: 'One', ...trusted, tokenLifetimeSeconds: 900 }
  await db.insert(serviceAccountTrusts).values({ id: trustId, ...own, ...trust })
  const teamId = newId('team')
  await db.insert(teams).values({ id: teamId, ...own, name: hex() })
  const teamMemberId = newId('tmb')
  await db.insert(teamMembers).values({ id: teamMemberId, ...own, teamId, serviceAccountId })
  const invitationId = newId('inv')
  const offer = { email: `${hex()}@example.com`, role: 'VIEWER', expiresAt: new Date(Date.now() + 86_400_000) } as const
  await db
    .insert(invitations)
    .values({ id: invitationId, ...own, ...offer, tokenHash: hex(), invitedById: membershipId })
  const auditEventId = newId('aud')
  const actor = { actorType: 'MEMBERSHIP', actorId: membershipId, actorName: 'Ada Lovelace', channel: 'API' } as const
  const change = { action: 'projects.create', resourceType: 'project', resourceId: 'prj_1' }
  await db.insert(auditEvents).values({ id: auditEventId, ...own, ...actor, ...change })

  const projectId = newId('prj')
  const environmentId = newId('env')
  await db.insert(projects).values({ id: projectId, ...named() })
  await db.insert(environments).values({ id: environmentId, projectId, ...named() })
  const roleGrantId = newId('grt')
  await db.insert(roleGrants).values({ id: roleGrantId, ...own, teamId, projectId, role: 'DEPLOYER' })
  const cloudAccountId = newId('ca')
  const account = {
    status: 'AWAITING_CONNECTION',
    externalId: hex(),
    eventSecretHash: hash('sha256', hex(), 'hex'),
  } as const
  await db.insert(cloudAccounts).values({ id: cloudAccountId, ...named(), ...account })
  const network = { network: 'vpc-0a', subnets: ['subnet-0a'], securityGroups: [] }
  const inAccount = { cloudAccountId, region: 'eu-west-1', ...network }
  await db.insert(environmentNetworks).values({ environmentId, organizationId, projectId, ...inAccount })
  const certificateId = newId('crt')
  const asked = { region: 'eu-west-1', names: ['shop.example.com'], origin: 'REQUESTED' as const, writesRecords: true }
  await db.insert(certificates).values({ id: certificateId, ...own, cloudAccountId, ...asked, status: 'FAILED' })
  const domainId = newId('dom')
  const domain = { projectId, environmentId, name: `${hex()}.example.com` }
  await db.insert(domains).values({ id: domainId, ...own, ...domain })
  const executionEnvironmentId = newId('ee')
  await db
    .insert(executionEnvironments)
    .values({ id: executionEnvironmentId, ...named(), cloudAccountId, region: 'eu-west-1' })
  const poolId = newId('ee')
  await db.insert(executionEnvironments).values({ id: poolId, ...named(), kind: 'runners' })
  const ofPool = { ...own, executionEnvironmentId: poolId }
  const executionAssignmentId = newId('exa')
  await db.insert(executionAssignments).values({ id: executionAssignmentId, ...ofPool, parentId: projectId, projectId })
  const runnerTokenId = newId('rtk')
  await db
    .insert(runnerTokens)
    .values({ id: runnerTokenId, ...ofPool, name: 'one', ...storedRunnerToken(newRunnerToken()) })
  const runnerId = newId('rnr')
  const machine = {
    machine: 'one',
    version: '0.0.0',
    isolation: 'none',
    labels: [],
    capacity: 1,
    lastSeenAt: new Date(),
  }
  await db.insert(runners).values({ id: runnerId, ...ofPool, runnerId: newId('rnr'), runnerTokenId, ...machine })
  const codeSourceId = newId('cs')
  const repository = { repoUrl: `https://git.example.com/${hex()}/web`, repoName: 'web', visibility: 'PUBLIC' } as const
  const auth = { kind: 'installation', githostaInstallationId: hex() } as const
  const access = { type: 'GITHOSTA', auth } as const
  await db.insert(codeSources).values({ id: codeSourceId, ...own, ...repository, ...access })
  const githostaInstallationId = newId('gha')
  const claimed = { githostaInstallationId: hex(), accountName: 'acme', claimedById: membershipId }
  await db.insert(githostaInstallations).values({ id: githostaInstallationId, ...own, ...claimed })
  const githostbInstanceId = newId('ghi')
  const baseUrl = `https://${hex()}.example.com`
  await db
    .insert(githostbInstances)
    .values({ id: githostbInstanceId, ...own, baseUrl, clientId: hex(), sealedClientSecret: '' })
  const githostbConnectionId = newId('ghb')
  const person = {
    hostUserId: '1',
    userName: 'ada',
    connectedById: membershipId,
    sealedTokens: '',
    expiresAt: new Date(),
  }
  await db.insert(githostbConnections).values({ id: githostbConnectionId, ...own, baseUrl, ...person })
  const infrastructureEventId = newId('evt')
  const told = { externalEventId: hex(), source: 'cloud.ecs', detailType: 'Task changed', occurredAt: new Date() }
  await db
    .insert(infrastructureEvents)
    .values({ id: infrastructureEventId, ...own, cloudAccountId, ...told, event: {} })

  const defaultValueDefinitionId = newId('dvd')
  const defaultValueId = newId('dv')
  await db
    .insert(defaultValueDefinitions)
    .values({ id: defaultValueDefinitionId, ...own, key: `key_${hex()}`, schema: {} })
  const level = { parentType: 'project', parentId: projectId, held: { value: 1 } } as const
  await db.insert(defaultValues).values({ id: defaultValueId, ...own, defaultValueDefinitionId, ...level })

  const moduleDefinitionId = newId('md')
  const moduleVersionId = newId('mv')
  const type = `web-${hex()}`
  const published = { status: 'ACTIVE', latestVersion: '1.0.0', latestVersionId: moduleVersionId } as const
  const definition = { id: moduleDefinitionId, ...own, name: 'Web', description: 'A web service.', type, ...published }
  await db.insert(moduleDefinitions).values(definition)
  const version = { version: '1.0.0', description: 'First.', config: { inputs: [] } }
  await db.insert(moduleVersions).values({ id: moduleVersionId, ...own, moduleDefinitionId, ...version })
  const moduleInstanceId = newId('mi')
  const place = { projectId, environmentId, moduleDefinitionId, moduleVersionId }
  await db
    .insert(moduleInstances)
    .values({ id: moduleInstanceId, ...named(), ...place, type, status: 'ACTIVE', input: {} })
  const deploymentId = newId('dep')
  await db.insert(deployments).values({
    id: deploymentId,
    ...own,
    moduleInstanceId,
    projectId,
    environmentId,
    ...finishedDeployment,
    completedAt: new Date(),
  })

  const freezeId = newId('frz')
  const once = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }
  const rules = {
    name: 'One',
    window: once,
    stops: ['RELEASES'],
    mode: 'ENFORCE',
    onRelease: 'WAIT',
    afterwards: 'ALL',
  } satisfies FreezeRules
  await db
    .insert(freezes)
    .values({ id: freezeId, ...own, projectId, environmentId, ...rules, createdBy: 'Ada Lovelace' })

  const notificationChannelId = newId('nch')
  const channel = {
    name: 'One',
    kind: 'WEBHOOK',
    url: 'https://hooks.example.com/one',
    events: ['deployment.failed'],
    environmentIds: [environmentId],
    enabled: true,
    toldSince: new Date(),
    sealedSecret: 'sealed',
    createdBy: 'Ada Lovelace',
  } satisfies Partial<NotificationChannelRow>
  await db.insert(notificationChannels).values({ id: notificationChannelId, ...own, projectId, ...channel })
  const startedNotice = {
    organizationId,
    deploymentId,
    url: 'https://sluice.example.com/console',
    deploymentType: 'cloud:ecs',
    status: 'IN_PROGRESS' as const,
    description: 'One',
    triggerSource: 'API' as const,
    project: { id: projectId, name: 'One' },
    environment: { id: environmentId, name: 'One' },
    moduleInstance: { id: moduleInstanceId, name: 'One' },
  }
  const notificationDeliveryId = newId('ndl')
  await db.insert(notificationDeliveries).values({
    ...own,
    id: notificationDeliveryId,
    channelId: notificationChannelId,
    recordId: deploymentId,
    eventId: `${deploymentId}.test`,
    payload: {
      type: 'channel.test',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { organizationId, channelId: notificationChannelId, message: 'One' },
    },
    status: 'DELIVERED',
    attempts: [{ at: '2026-01-01T00:00:00.000Z', durationMs: 12, status: 200, answer: 'ok' }],
  })
  await db.insert(slackInteractions).values({
    ...own,
    id: newId('slp'),
    channelId: notificationChannelId,
    requestHash: newId('req'),
    sealedResponseUrl: 'sealed',
  })
  const slackAccountId = newId('sla')
  await db
    .insert(slackAccounts)
    .values({ ...own, id: slackAccountId, membershipId, slackTeam: 'T1', slackUser: newId('req') })
  await db.insert(notificationEvents).values({
    ...own,
    id: newId('nev'),
    eventId: `${deploymentId}.deployment.started`,
    recordId: deploymentId,
    projectId,
    environmentId,
    type: 'deployment.started' as const,
    payload: { type: 'deployment.started', timestamp: '2026-01-01T00:00:00.000Z', data: startedNotice },
  })
  const approvalRuleId = newId('apr')
  await db.insert(approvalRules).values({
    ...own,
    id: approvalRuleId,
    projectId,
    environmentId,
    name: 'One',
    requiredApprovals: 1,
    teamIds: [],
    excludeStarter: false,
    serviceAccounts: false,
    rollbacks: false,
    mode: 'ENFORCE',
    createdBy: 'Ada Lovelace',
  })
  const approvalDelegationId = newId('apd')
  await db.insert(approvalDelegations).values({
    ...own,
    id: approvalDelegationId,
    membershipId,
    delegateId: membershipId,
    from: new Date('2026-01-01T00:00:00.000Z'),
    until: new Date('2100-01-01T00:00:00.000Z'),
  })
  await db.insert(deploymentApprovals).values({
    ...own,
    id: newId('apv'),
    projectId,
    environmentId,
    deploymentId,
    verdict: 'APPROVED',
    actorType: 'MEMBERSHIP',
    actorId: 'mem_one',
    actorName: 'Ada Lovelace',
    releaseDigest: 'one',
  })
  const rehearsalId = newId('reh')
  await db.insert(rehearsals).values({
    ...own,
    id: rehearsalId,
    projectId,
    environmentId,
    moduleInstanceId,
    status: 'SUCCESS',
    triggeredBy: 'Ada Lovelace',
    scenarioNames: ['NO_FAULT'],
    scenarios: [],
    assumptions: [],
  })
  const promotionRuleId = newId('pmr')
  await db.insert(promotionRules).values({
    ...own,
    id: promotionRuleId,
    projectId,
    fromEnvironmentId: environmentId,
    environmentId,
    soakMinutes: 1,
    start: 'MANUAL',
    mode: 'WARN',
    writtenBy: 'Ada Lovelace',
    writtenById: 'mem_one',
    lookAt: new Date('2100-01-01T00:00:00.000Z'),
  })
  await db.insert(promotions).values({
    ...own,
    id: newId('pmo'),
    projectId,
    fromEnvironmentId: environmentId,
    environmentId,
    promotionRuleId,
    sourceDeploymentId: deploymentId,
    moduleInstanceId,
    status: 'PASSED_OVER',
  })
  const previewTemplateId = newId('pvt')
  await db.insert(previewTemplates).values({
    ...own,
    id: previewTemplateId,
    projectId,
    environmentId,
    codeSourceId,
    inputs: {},
    pipelineInputs: {},
    namePattern: 'pr-{number}',
    lifetimeHours: 1,
    maxPerProject: 1,
    allowsForks: false,
    writtenBy: 'Ada Lovelace',
    writtenById: 'mem_one',
  })
  const previewEnvironmentId = newId('pve')
  await db.insert(previewEnvironments).values({
    ...own,
    id: previewEnvironmentId,
    projectId,
    environmentId,
    previewTemplateId,
    codeSourceId,
    givenId: 'pr-1',
    number: 1,
    branch: 'topic',
    commit: 'a'.repeat(40),
    askedBy: 'ada',
    isFromFork: false,
    status: 'READY',
    expiresAt: new Date('2100-01-01T00:00:00.000Z'),
  })
  const watchedRepositoryId = newId('wrp')
  await db.insert(watchedRepositories).values({
    ...own,
    id: watchedRepositoryId,
    projectId,
    codeSourceId,
    branch: 'main',
    path: 'infrastructure',
    serviceAccountId,
    apply: 'AFTER_APPROVAL',
    prune: false,
    runStacks: true,
    comments: true,
    status: 'PENDING_APPROVAL',
    commit: 'a'.repeat(40),
    planDigest: 'one',
    changeCount: 1,
    plan: { changes: [{ action: 'create', record: 'Environment one', differences: [] }], faults: [], isCut: false },
    dueAt: new Date('2100-01-01T00:00:00.000Z'),
  })
  const policyId = newId('pol')
  const said = {
    name: 'One',
    expression: 'true',
    message: 'One.',
    effect: 'WARN',
    isEnabled: true,
    rollbacks: false,
    tests: [],
  } satisfies PolicyRules
  const ofPolicy = { ...own, projectId, environmentId, createdBy: 'Ada Lovelace' }
  await db.insert(policies).values({ ...ofPolicy, id: policyId, ...said, guards: 'DEPLOYMENTS', version: 1 })
  await db.insert(policyVersions).values({ ...ofPolicy, id: newId('plr'), policyId, version: 1, rules: said })
  const past = { reason: 'One.', until: new Date('2100-01-01T00:00:00.000Z') }
  await db.insert(policyOverrides).values({ ...ofPolicy, id: newId('plo'), policyId, ...past })
  const holdId = newId('hld')
  const held = { moduleInstanceId, reason: 'One.', origin: 'USER', heldBy: 'Ada Lovelace' } as const
  await db.insert(holds).values({ id: holdId, ...own, projectId, environmentId, ...held })

  const pipelineId = newId('pl')
  const pipelineVersionId = newId('plv')
  const pipelineRunId = newId('run')
  const stepExecutionId = newId('step')
  await db.insert(pipelines).values({ id: pipelineId, ...named(), projectId, latestVersion: 1 })
  await db
    .insert(pipelineVersions)
    .values({ id: pipelineVersionId, ...own, pipelineId, version: 1, config: { steps: [] } })
  const run = { pipelineId, pipelineVersionId, inputs: {}, triggerSource: 'API', triggeredBy: 'Ada Lovelace' } as const
  await db.insert(pipelineRuns).values({ id: pipelineRunId, ...own, ...run, status: 'SUCCESS' })
  const step = {
    stepId: 'apply',
    stepName: 'Apply',
    stepType: 'iac:apply',
    status: 'SUCCESS',
    queueReason: 'READY',
  } as const
  const workflow = { queueMetadata: {}, engineWorkflowId: stepExecutionId }
  await db.insert(pipelineStepExecutions).values({ id: stepExecutionId, ...own, pipelineRunId, ...step, ...workflow })
  await db.insert(stepApprovals).values({
    ...own,
    id: newId('spa'),
    pipelineRunId,
    stepExecutionId,
    actorType: 'MEMBERSHIP',
    actorId: 'mem_one',
    actorName: 'Ada Lovelace',
    plans: '',
  })

  const runnerTaskId = newId('tsk')
  const task = { executionEnvironmentId, stepExecutionId, attemptEpoch: 1, status: 'ENDED', tokenHash: hex() } as const
  await db.insert(runnerTasks).values({ id: runnerTaskId, ...own, ...task, deadlineAt: new Date() })

  const stackId = newId('stk')
  const stackWorkspaceId = newId('wsp')
  await db.insert(stacks).values({ id: stackId, ...named(), projectId })
  await db.insert(stackWorkspaces).values({ id: stackWorkspaceId, ...own, stackId, name: 'one' })
  const iacResourceId = newId('iac')
  await db
    .insert(iacResources)
    .values({ id: iacResourceId, ...own, pipelineId, pipelineRunId, stepExecutionId, stackId, ...appliedResource })

  const planned = {
    status: 'PLANNED',
    hasChanges: true,
    summary: { changeCounts: { CREATE: 1 }, driftedCount: 0 },
  } as const
  const made = {
    kind: 'PLAN',
    tool: 'iac',
    toolVersion: '1.0.0',
    source: {},
    configDigest: hex(),
    inputsDigest: hex(),
  } as const
  const iacPlanId = newId('iap')
  await db.insert(iacPlans).values({
    id: iacPlanId,
    ...own,
    stackId,
    workspaceId: stackWorkspaceId,
    pipelineRunId,
    stepExecutionId,
    ...planned,
    ...made,
  })
  const stretch = { firstSequence: 1, lastSequence: 1, chunkCount: 1, textBytes: 5, claimedUntil: new Date() }
  const archived = { objectKey: hex(), sealedKey: hex() }
  await db.insert(archivedStepLogs).values({ id: newId('asl'), ...own, stepExecutionId, ...stretch, ...archived })
  const stepArtifactId = newId('sart')
  await db.insert(stepArtifacts).values({ id: stepArtifactId, ...own, pipelineRunId, stepExecutionId, name: 'dist' })
  await db.insert(stepArtifactPieces).values({ id: newId('sartp'), ...own, stepArtifactId, position: 0, sealed: '' })
  await db.insert(deploymentArchives).values({ id: newId('dpa'), ...own, projectId, ...archived })
  const provenance: Provenance = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 's3://site/releases/1', digest: { dirHash: hex() } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://sluice.example.com/docs/guide/builds.html#provenance',
        externalParameters: {},
        internalParameters: {},
        resolvedDependencies: [],
      },
      runDetails: {
        builder: { id: 'https://sluice.example.com', version: { sluice: '0.2.0' } },
        metadata: {
          invocationId: stepExecutionId,
          startedOn: '2026-11-26T12:00:00.000Z',
          finishedOn: '2026-11-26T12:00:07.000Z',
        },
      },
    },
  }
  const artifactId = newId('art')
  await db.insert(artifacts).values({
    id: artifactId,
    ...own,
    moduleInstanceId,
    projectId,
    environmentId,
    pipelineRunId,
    stepExecutionId,
    kind: 'static',
    cloudAccountId,
    region: 'eu-west-1',
    bucket: 'site',
    key: 'releases/1',
    contentKey: hex(),
    digest: hex(),
    sizeBytes: 1,
    fileCount: 1,
    buildSeconds: 1,
    provenance,
  })
  const iacStateVersionId = newId('isv')
  const state = { sequence: 1, serial: 1, lineage: hex(), sealed: 'v1', digest: hex(), sizeBytes: 2, resourceCount: 0 }
  await db
    .insert(iacStateVersions)
    .values({ id: iacStateVersionId, ...own, workspaceId: stackWorkspaceId, ...state, createdBy: 'Ada Lovelace' })

  return {
    organizationId,
    /** By the path segment before the parameter. */
    byPath: {
      'api-keys': apiKeyId,
      artifacts: artifactId,
      'audit-events': auditEventId,
      certificates: certificateId,
      'cloud-accounts': cloudAccountId,
      'code-source': codeSourceId,
      'code-sources': codeSourceId,
      'default-value-definitions': defaultValueDefinitionId,
      'default-values': defaultValueId,
      deployments: deploymentId,
      domains: domainId,
      environments: environmentId,
      'approval-rules': approvalRuleId,
      'approval-delegations': approvalDelegationId,
      'promotion-rules': promotionRuleId,
      rehearsals: rehearsalId,
      'preview-templates': previewTemplateId,
      'preview-environments': previewEnvironmentId,
      'watched-repositories': watchedRepositoryId,
      policies: policyId,
      freezes: freezeId,
      holds: holdId,
      'execution-environments': executionEnvironmentId,
      'execution-assignments': executionAssignmentId,
      'runner-tokens': runnerTokenId,
      'runner-tasks': runnerTaskId,
      'role-grants': roleGrantId,
      runners: runnerId,
      'iac-plans': iacPlanId,
      'githosta-installations': githostaInstallationId,
      'githostb-connections': githostbConnectionId,
      'githostb-instances': githostbInstanceId,
      'iac-resources': iacResourceId,
      'iac-state-versions': iacStateVersionId,
      'infrastructure-events': infrastructureEventId,
      invitations: invitationId,
      memberships: membershipId,
      'module-definitions': moduleDefinitionId,
      'module-instances': moduleInstanceId,
      'module-versions': moduleVersionId,
      'notification-channels': notificationChannelId,
      'notification-deliveries': notificationDeliveryId,
      organizations: organizationId,
      'pipeline-runs': pipelineRunId,
      'pipeline-step-executions': stepExecutionId,
      'pipeline-versions': pipelineVersionId,
      pipelines: pipelineId,
      projects: projectId,
      'service-accounts': serviceAccountId,
      'service-account-trusts': trustId,
      'identity-providers': identityProviderId,
      'sign-in-domains': signInDomainId,
      'sign-in': identityProviderId,
      sessions: sessionId,
      'slack-accounts': slackAccountId,
      'stack-workspaces': stackWorkspaceId,
      stacks: stackId,
      teams: teamId,
      'team-members': teamMemberId,
    } as Readonly<Record<string, string>>,
  }
}

async function createOrganization(db: Db) {
  const id = newId('org')
  await db.insert(organizations).values({ id, name: 'Acme', givenId: id.replace('_', '-') })
  return { organizationId: id }
}

export type OneOfEverything = Awaited<ReturnType<typeof createOneOfEverything>>

/** Returns the path segment for a field such as `projectId`. */
export function resourceOf(field: string): string {
  const name = field.replace(/Ids?$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return aliases[name] ?? `${name}s`
}

const aliases: Readonly<Record<string, string>> = {
  parent: 'organizations',
  'break-glass-membership': 'memberships',
  member: 'memberships',
  delegate: 'memberships',
  principal: 'memberships',
  'step-execution': 'pipeline-step-executions',
  'start-run': 'pipeline-runs',
  'end-run': 'pipeline-runs',
  'to-deployment': 'deployments',
  'rollback-to-deployment': 'deployments',
  'from-environment': 'environments',
}

/** Returns the id of the record that a field refers to, or undefined for ids of other systems. */
export const referredBy = ({ byPath }: OneOfEverything, field: string): string | undefined => byPath[resourceOf(field)]

export const finishedDeployment = {
  description: 'Release 1',
  status: 'SUCCESS',
  deploymentType: 'cloud:ecs',
  triggerSource: 'API',
  data: { type: 'cloud:ecs', clusterArn: 'cluster', serviceArn: 'service', events: [] },
  inputs: {},
  release: {
    type: 'cloud:ecs',
    cloudAccountId: 'ca_1',
    region: 'eu-west-1',
    clusterArn: 'cluster',
    serviceArn: 'service',
    taskDefinition: { reuse: { arn: 'task-definition' } },
    strategy: { type: 'rolling' },
    timeoutSeconds: 600,
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  },
  progress: { step: 'observe', attempt: 0, troubles: 0, quiet: 0, hooks: [] },
} as const satisfies Partial<typeof deployments.$inferInsert>

const appliedResource = {
  address: iacAddress,
  provider: 'cloud',
  resourceName: 'app',
  resourceType: 'cloud_service',
  changeType: 'CREATE',
  runType: 'APPLY',
  driftStatus: 'UNKNOWN',
  isInCurrentState: false,
  vendor: 'IAC_TOOL',
  vendorData: { before: null, after: {} },
} as const satisfies Partial<typeof iacResources.$inferInsert>
