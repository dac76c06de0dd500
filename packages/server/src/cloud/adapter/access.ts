import { ACMClient } from '@aws-sdk/client-acm'
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling'
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import type { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore'
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { CodeBuildClient } from '@aws-sdk/client-codebuild'
import type { EC2Client } from '@aws-sdk/client-ec2'
import { ECRClient } from '@aws-sdk/client-ecr'
import { ECSClient } from '@aws-sdk/client-ecs'
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2'
import { IAMClient } from '@aws-sdk/client-iam'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { Route53Client } from '@aws-sdk/client-route-53'
import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SQSClient } from '@aws-sdk/client-sqs'
import { SSMClient } from '@aws-sdk/client-ssm'
import { STSClient } from '@aws-sdk/client-sts'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Logger } from 'pino'
import { homeRegionBeside } from '../facts/partition.ts'
import { type ConnectionCheck, checkConnection } from './connection-check.ts'
import { openKeyValues } from './key-value-store.ts'
import { addLastCheck } from './last-check.ts'
import { loadEc2Module } from './machines/instances.ts'
import { type CalledPlace, type ObservedCall, observeCalls } from './observe.ts'
import { oneAttempt } from './one-attempt.ts'
import { connectWithinMs, promptAgents } from './prompt-agents.ts'
import {
  assumeRole,
  type Credentials,
  checkRole,
  ownAccount,
  type RecipeRequest,
  type RoleCheck,
  type RoleRecipe,
  type RoleToCheck,
  roleRecipe,
} from './roles.ts'

/** Cloud account with the role and external id that Sluice uses to get credentials for it. */
export type CloudAccount = { id: string; organizationId: string; roleArn: string; externalId: string }

/** SDK clients for one account and region. */
export type CloudClients = {
  autoScaling: AutoScalingClient
  builds: CodeBuildClient
  certificates: ACMClient
  contentNetwork: CloudFrontClient
  ecs: ECSClient
  elb: ElasticLoadBalancingV2Client
  iam: IAMClient
  images: ECRClient
  keyValues: CloudFrontKeyValueStoreClient
  lambda: LambdaClient
  logs: CloudWatchLogsClient
  metrics: CloudWatchClient
  names: Route53Client
  networks: EC2Client
  queues: SQSClient
  secrets: SecretsManagerClient
  ssm: SSMClient
  storage: S3Client
}

export type Cloud = {
  /** Returns clients that act with the account's role. Cheap to call: clients and credentials are cached. */
  clientsFor(account: CloudAccount, region: string): CloudClients
  /** Returns separate session credentials for the account, for a child process. */
  credentialsFor(account: CloudAccount, region: string): Promise<Credentials>
  /** Checks that Sluice can assume the role, and that it cannot be assumed without the external id. */
  checkRole(role: RoleToCheck): Promise<RoleCheck>
  /** Checks that the role can be assumed in each of the regions, and reads the role's tags. */
  checkConnection(role: RoleToCheck, regions: readonly string[]): Promise<ConnectionCheck>
  /** Returns the account number of Sluice's own credentials. Throws if there are none or the cloud rejects them. */
  ownAccount(): Promise<string>
  /** Returns the template and commands with which an account's owner creates the role. */
  roleRecipe(request: RecipeRequest): Promise<RoleRecipe>
  close(): void
}

type CloudParts = {
  endpoint?: string
  log?: Pick<Logger, 'warn'>
  /** Called after every API call into an account. */
  onCall?: (call: ObservedCall, place: CalledPlace) => void
}

/**
 * Opens access to the cloud: Sluice's own credentials, from the SDK's default chain, assume each account's role with
 * its external id. `endpoint` replaces the cloud's own addresses.
 */
export function openCloud({ endpoint, log, onCall = () => {} }: CloudParts = {}): Cloud {
  const requestHandler = new NodeHttpHandler({
    connectionTimeout: connectWithinMs,
    // Without `throwOnRequestTimeout` the SDK only logs a warning and waits for the response forever.
    requestTimeout: 10_000,
    throwOnRequestTimeout: true,
    ...promptAgents(100),
  })
  // A long poll of a queue holds a connection for up to 20 seconds, so queues get their own connections.
  const patientHandler = new NodeHttpHandler({
    connectionTimeout: connectWithinMs,
    requestTimeout: 30_000,
    throwOnRequestTimeout: true,
    ...promptAgents(1_000),
  })
  const settings = { requestHandler, retryStrategy: oneAttempt(log), ...(endpoint === undefined ? {} : { endpoint }) }
  const clients = new Map<string, CloudClients>()
  const credentials = new Map<string, () => Promise<Credentials>>()

  const credentialsOf = (account: CloudAccount, region: string) => {
    // One entry per region, because a region that is not enabled in the account must not affect the others.
    const key = `${account.id} ${account.roleArn} ${account.externalId} ${region}`
    const known = credentials.get(key) ?? assumed(new STSClient({ ...settings, region }), account)
    credentials.set(key, known)
    return known
  }
  return {
    clientsFor(account, region) {
      const key = `${account.id} ${account.roleArn} ${account.externalId} ${region}`
      const known = clients.get(key)
      if (known) return known
      const config = { ...settings, region, credentials: credentialsOf(account, region) }
      const place = { organizationId: account.organizationId, cloudAccountId: account.id, region }
      const made = clientsWith(config, patientHandler, (call) => onCall(call, place))
      clients.set(key, made)
      return made
    },
    credentialsFor: (account, region) => assumeRole(new STSClient({ ...settings, region }), account),
    checkRole: (role) => checkRole(settings, role),
    checkConnection: (role, regions) => checkConnection(settings, role, regions),
    ownAccount: () => ownAccount(settings),
    roleRecipe: (request) => roleRecipe(settings, request),
    close() {
      requestHandler.destroy()
      patientHandler.destroy()
    },
  }
}

/** SDK request handler that answers inside this process, such as the in-process simulator used for release previews. */
type InProcessHandler = { metadata: { handlerProtocol: string }; destroy(): void }

/** Creates clients whose requests never leave the process. */
export function clientsInProcess(
  requestHandler: InProcessHandler,
  { region, credentials }: { region: string; credentials: Omit<Credentials, 'expiration'> },
): CloudClients {
  // The clients only call `handle`, which every handler has, although their type names the network handler.
  const handler = requestHandler as unknown as NodeHttpHandler
  const expiration = new Date(8.64e15) // the latest representable date
  const config = {
    region,
    requestHandler: handler,
    retryStrategy: oneAttempt(undefined),
    endpoint: 'http://in-process',
    credentials: async () => ({ ...credentials, expiration }),
  }
  return clientsWith(config, handler, () => {})
}

/** Settings shared by the clients of all services. */
type ClientSettings = {
  requestHandler: NodeHttpHandler
  retryStrategy: ReturnType<typeof oneAttempt>
  endpoint?: string
  region: string
  credentials: () => Promise<Credentials>
}

/** Creates the clients of an account, each on first use, because few accounts use all services. */
function clientsWith(
  config: ClientSettings,
  patientHandler: NodeHttpHandler,
  onCall: (call: ObservedCall) => void,
): CloudClients {
  const prepare = <Client extends object>(client: Client) => observeCalls(addLastCheck(client), onCall)
  // CloudFront and IAM are global: their requests are signed for the home region of the partition.
  const global = { ...config, region: homeRegionBeside(config.region) }
  // A custom endpoint has no host name per bucket.
  const storage = { ...config, forcePathStyle: config.endpoint !== undefined }
  // Requests go to the regional endpoint, not to the host in the queue's URL.
  const queues = { ...config, requestHandler: patientHandler, useQueueUrlAsEndpoint: false }
  return lazily<CloudClients>(prepare, {
    autoScaling: () => new AutoScalingClient(config),
    builds: () => new CodeBuildClient(config),
    certificates: () => new ACMClient(config),
    contentNetwork: () => new CloudFrontClient(global),
    ecs: () => new ECSClient(config),
    elb: () => new ElasticLoadBalancingV2Client(config),
    iam: () => new IAMClient(global),
    images: () => new ECRClient(config),
    keyValues: () => openKeyValues(global),
    lambda: () => new LambdaClient(config),
    logs: () => new CloudWatchLogsClient(config),
    metrics: () => new CloudWatchClient(config),
    names: () => new Route53Client(global),
    networks: () => new (loadEc2Module().EC2Client)(config),
    queues: () => new SQSClient(queues),
    secrets: () => new SecretsManagerClient(config),
    ssm: () => new SSMClient(config),
    storage: () => new S3Client(storage),
  })
}

/** Returns an object that creates and prepares each of its members on first access. */
function lazily<T extends Record<string, object>>(
  prepare: <Member extends object>(member: Member) => Member,
  makers: { [Name in keyof T]: () => T[Name] },
): T {
  const made: Partial<T> = {}
  for (const name of Object.keys(makers) as (keyof T & string)[]) {
    const get = () => {
      const value = prepare(makers[name]())
      Object.defineProperty(made, name, { value })
      return value
    }
    Object.defineProperty(made, name, { get, configurable: true })
  }
  return made as T
}

/** Time before expiry at which credentials are renewed, so that no call starts with credentials about to expire. */
const renewBeforeMs = 5 * 60_000

/**
 * Returns a function that assumes the account's role, shares the result with concurrent callers and renews it before
 * expiry.
 */
function assumed(sts: STSClient, account: CloudAccount): () => Promise<Credentials> {
  let current: Promise<Credentials> | undefined
  let renewAt = 0
  return () => {
    if (current && Date.now() < renewAt) return current
    renewAt = Number.POSITIVE_INFINITY // replaced by the expiry in the response
    const asked = assumeRole(sts, account)
    current = asked
    asked.then(
      ({ expiration }) => {
        renewAt = expiration.getTime() - renewBeforeMs
      },
      () => {
        renewAt = 0
      },
    )
    return asked
  }
}
