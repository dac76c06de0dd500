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
import { heedLastCheck } from './last-check.ts'
import { ec2 } from './machines/instances.ts'
import { type CalledPlace, type ObservedCall, observeCalls } from './observe.ts'
import { oneAttempt } from './one-attempt.ts'
import { connectWithinMs, promptAgents } from './prompt-agents.ts'
import {
  assumeRole,
  type Credentials,
  checkRole,
  ownAccount,
  type RecipeWish,
  type RoleCheck,
  type RoleRecipe,
  type RoleToCheck,
  roleRecipe,
} from './roles.ts'

/** A connected cloud account, as far as getting into it goes. */
export type CloudAccount = { id: string; organizationId: string; roleArn: string; externalId: string }

/** The clients of one account in one region. */
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
  /** Clients that act with the account's role. Cheap to call: clients and credentials are kept. */
  clientsFor(account: CloudAccount, region: string): CloudClients
  /** Credentials of a session of its own in the account, for a program that we start. */
  credentialsFor(account: CloudAccount, region: string): Promise<Credentials>
  /** Whether a role lets us in, and only us. */
  checkRole(role: RoleToCheck): Promise<RoleCheck>
  /** Whether it still does, in all of these regions, and what the role says of itself. */
  checkConnection(role: RoleToCheck, regions: readonly string[]): Promise<ConnectionCheck>
  /** The account that our own credentials are of. Throws where there are none, or the cloud refuses them. */
  ownAccount(): Promise<string>
  /** What an account's owner needs to make the role. */
  roleRecipe(wish: RecipeWish): Promise<RoleRecipe>
  close(): void
}

type CloudParts = {
  endpoint?: string
  log?: Pick<Logger, 'warn'>
  /** Told of every call into an account. */
  onCall?: (call: ObservedCall, place: CalledPlace) => void
}

/**
 * The way into the cloud: Sluice's own credentials (from the SDK's usual chain) assume the role of each account with
 * its external id. `endpoint` sends every call to another address than the cloud's own.
 */
export function openCloud({ endpoint, log, onCall = () => {} }: CloudParts = {}): Cloud {
  const requestHandler = new NodeHttpHandler({
    connectionTimeout: connectWithinMs,
    // Without the second line the first only logs a warning, and one would wait for ever for an answer that never
    // comes.
    requestTimeout: 10_000,
    throwOnRequestTimeout: true,
    ...promptAgents(100),
  })
  // Whoever fetches from a queue waits there for 20 seconds, and holds a connection meanwhile.
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
    // By region: where one is not enabled in the account, nothing is wrong with the others.
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
    roleRecipe: (wish) => roleRecipe(settings, wish),
    close() {
      requestHandler.destroy()
      patientHandler.destroy()
    },
  }
}

/** A request handler of a cloud within this program, such as the one that rehearsals release in. */
type InProcessHandler = { metadata: { handlerProtocol: string }; destroy(): void }

/** Clients whose requests never leave the program. */
export function clientsInProcess(
  requestHandler: InProcessHandler,
  { region, credentials }: { region: string; credentials: Omit<Credentials, 'expiration'> },
): CloudClients {
  // The clients call `handle` alone, which every handler has; their type names the one for the network.
  const handler = requestHandler as unknown as NodeHttpHandler
  const expiration = new Date(8.64e15) // the last moment that there is
  const config = {
    ...{ region, requestHandler: handler, retryStrategy: oneAttempt(undefined), endpoint: 'http://in-process' },
    credentials: async () => ({ ...credentials, expiration }),
  }
  return clientsWith(config, handler, () => {})
}

/** What the clients of all services are made with. */
type ClientSettings = {
  requestHandler: NodeHttpHandler
  retryStrategy: ReturnType<typeof oneAttempt>
  endpoint?: string
  region: string
  credentials: () => Promise<Credentials>
}

/** Each client is made when it is first asked for: few accounts use all services. */
function clientsWith(
  config: ClientSettings,
  patientHandler: NodeHttpHandler,
  onCall: (call: ObservedCall) => void,
): CloudClients {
  const prepare = <Client extends object>(client: Client) => observeCalls(heedLastCheck(client), onCall)
  // The content network and the roles belong to no region: their requests are signed for the home of the partition.
  const global = { ...config, region: homeRegionBeside(config.region) }
  // At another address than the cloud's own a bucket has no host name of its own.
  const storage = { ...config, forcePathStyle: config.endpoint !== undefined }
  // The host of a queue's URL is never dialled: it goes where all calls of the region go.
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
    networks: () => new (ec2().EC2Client)(config),
    queues: () => new SQSClient(queues),
    secrets: () => new SecretsManagerClient(config),
    ssm: () => new SSMClient(config),
    storage: () => new S3Client(storage),
  })
}

/** An object whose members are each made, and prepared, when they are first asked for. */
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

/** Renewed this long before they expire, so that no call starts with credentials that end under it. */
const renewBeforeMs = 5 * 60_000

/** Assumes the account's role once for everybody who asks at the same time, and again shortly before it expires. */
function assumed(sts: STSClient, account: CloudAccount): () => Promise<Credentials> {
  let current: Promise<Credentials> | undefined
  let renewAt = 0
  return () => {
    if (current && Date.now() < renewAt) return current
    renewAt = Number.POSITIVE_INFINITY // until the answer says when
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
