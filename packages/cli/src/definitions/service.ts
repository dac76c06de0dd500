import { jsonPathSuffix } from '@sluice/contract/json-path'
import {
  callingHooksOf,
  hasRollbackBreaker,
  meshRoutingOf,
  strategyOf,
  trafficShiftsOf,
} from '@sluice/server/cloud/facts/ecs-configuration'
import { blockersIn, configurationRemarks } from '@sluice/server/delivery/module-imports/service-input'
import { withoutNulls } from '@sluice/server/modules/module-versions/config/absent'
import { faultsOf } from '@sluice/server/platform/http/faults'
import { type Static, type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type DefinedService, isObject, type Json, type ParseResult, type Remark } from './defined.ts'
import { withoutEmptyTexts } from './empty-texts.ts'

const text = Type.String({ minLength: 1, maxLength: 10_000 })
const maybe = Type.Optional
const open = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: true })
const whole = Type.Integer({ minimum: 0, maximum: 20_160 })
const percent = Type.Number({ minimum: 0, maximum: 100 })

const ServiceConnect = open({ enabled: maybe(Type.Boolean()) })
const LatticeGroup = open({
  targetGroupArn: maybe(text),
  advancedConfiguration: maybe(open({ alternateTargetGroupArn: maybe(text), productionListenerRule: maybe(text) })),
})

/** Schema of the fields that affect releases; others stay unchanged on the service. */
const Service = open({
  serviceArn: maybe(
    Type.String({
      pattern: '^arn:[a-z-]+:ecs:[a-z0-9-]+:\\d{12}:service/[^/\\s]+/[^/\\s]+$',
      title: 'the ARN of a service with its cluster',
      examples: ['arn:aws:ecs:eu-west-1:123456789012:service/shop/web'],
    }),
  ),
  serviceName: maybe(text),
  clusterArn: maybe(text),
  taskDefinition: maybe(text),
  deploymentController: maybe(open({ type: maybe(text) })),
  loadBalancers: maybe(
    Type.Array(
      open({
        containerName: maybe(text),
        targetGroupArn: maybe(text),
        advancedConfiguration: maybe(
          open({
            alternateTargetGroupArn: maybe(text),
            productionListenerRule: maybe(text),
            testListenerRule: maybe(text),
            roleArn: maybe(text),
          }),
        ),
      }),
    ),
  ),
  serviceConnectConfiguration: maybe(ServiceConnect),
  vpcLatticeConfigurations: maybe(Type.Array(LatticeGroup)),
  serviceRegistries: maybe(Type.Array(open({}))),
  // In responses of ECS, these settings are in the deployments; in definitions, in the service itself.
  deployments: maybe(
    Type.Array(
      open({
        serviceConnectConfiguration: maybe(ServiceConnect),
        vpcLatticeConfigurations: maybe(Type.Array(LatticeGroup)),
      }),
    ),
  ),
  deploymentConfiguration: maybe(
    open({
      strategy: maybe(Type.Enum(['ROLLING', 'BLUE_GREEN', 'LINEAR', 'CANARY'])),
      bakeTimeInMinutes: maybe(whole),
      linearConfiguration: maybe(open({ stepPercent: maybe(percent), stepBakeTimeInMinutes: maybe(whole) })),
      canaryConfiguration: maybe(open({ canaryPercent: maybe(percent), canaryBakeTimeInMinutes: maybe(whole) })),
      lifecycleHooks: maybe(
        Type.Array(
          open({
            targetType: maybe(text),
            hookTargetArn: maybe(text),
            lifecycleStages: maybe(Type.Array(text)),
            timeoutConfiguration: maybe(open({ timeoutInMinutes: maybe(whole), action: maybe(text) })),
          }),
        ),
      ),
      deploymentCircuitBreaker: maybe(open({ enable: maybe(Type.Boolean()), rollback: maybe(Type.Boolean()) })),
    }),
  ),
})
type Service = Static<typeof Service>
const validator = Compile(Service)

/** Service in a file, without its task definition. */
export type ServiceDefinition = Pick<DefinedService, 'balancedContainer' | 'place' | 'strategy' | 'trafficShift'> & {
  name?: string
  /** Task definition as an ARN or `family:revision`. */
  taskDefinition?: string
}

/** Position of a service in a response. */
export type ServiceEntry = { value: unknown; path: string }

/** Returns the services in a `describe-services` response, a list, or a single service. */
export function servicesIn(value: unknown): { spots: ServiceEntry[]; remarks: Remark[] } {
  if (Array.isArray(value)) {
    return { spots: value.map((one, index) => ({ value: one, path: `$[${index}]` })), remarks: [] }
  }
  if (!isObject(value) || !Array.isArray(value.services)) return { spots: [{ value, path: '$' }], remarks: [] }
  const failures = Array.isArray(value.failures) ? value.failures : []
  return {
    spots: value.services.map((one, index) => ({ value: one, path: `$.services[${index}]` })),
    remarks: failures.map((_, index) => ({ path: `$.failures[${index}]`, why: 'ECS did not find this service' })),
  }
}

/** Reads the fields of a service that affect releases. */
export function readService({ value: written, path }: ServiceEntry): ParseResult<ServiceDefinition> {
  const { value, remarks } = withoutEmptyTexts(withoutNulls(written), path)
  const faults = faultsOf(validator, value, path)
  if (faults.length > 0) return { faults }
  const service = value as Service
  const { loadBalancers, deploymentConfiguration = {}, serviceArn, serviceName, clusterArn, taskDefinition } = service
  const strategy = strategyOf(deploymentConfiguration)
  const [trafficShift] = trafficShiftsOf(loadBalancers ?? [])
  const blockers = blockersIn({
    controller: service.deploymentController?.type ?? 'ECS',
    strategy,
    routing: routingOf(service),
  })
  if (blockers.length > 0) return { faults: blockers.map((line) => `${path}.${line}`) }
  const name = serviceName ?? serviceArn?.split('/').at(-1)
  const balancedContainer = loadBalancers?.[0]?.containerName
  return {
    found: {
      place: { ...(serviceArn !== undefined && { serviceArn }), ...(clusterArn !== undefined && { clusterArn }) },
      strategy,
      ...(trafficShift && { trafficShift }),
      ...(balancedContainer !== undefined && { balancedContainer }),
      ...(name !== undefined && { name }),
      ...(taskDefinition !== undefined && { taskDefinition }),
    },
    remarks: [...remarks, ...remarksOnConfiguration(service, path), ...remarksOnTheRest(service, path)],
  }
}

function routingOf({ deployments = [], loadBalancers = [], serviceRegistries = [], ...service }: Service) {
  const settings = [service, ...deployments].find(
    ({ serviceConnectConfiguration, vpcLatticeConfigurations }) =>
      serviceConnectConfiguration !== undefined || vpcLatticeConfigurations !== undefined,
  )
  return { balancers: loadBalancers, ...meshRoutingOf(settings ?? {}, serviceRegistries) }
}

function remarksOnConfiguration({ deploymentConfiguration = {} }: Service, path: string): Remark[] {
  const ofReleases = configurationRemarks({
    callingHooks: callingHooksOf(deploymentConfiguration),
    hasBreaker: hasRollbackBreaker(deploymentConfiguration),
  })
  return ofReleases.map(({ subject, message }) => ({
    path: `${path}.deploymentConfiguration`,
    why: `${subject}: ${message}`,
  }))
}

const read = new Set([
  ...['serviceArn', 'serviceName', 'clusterArn', 'taskDefinition', 'deploymentController'],
  ...['deploymentConfiguration', 'loadBalancers'],
])
const readOfConfiguration = new Set([
  ...['strategy', 'bakeTimeInMinutes', 'linearConfiguration', 'canaryConfiguration'],
  ...['lifecycleHooks', 'deploymentCircuitBreaker'],
])

/** Fields of a service that only responses contain. */
const ofTheMoment = new Set([
  ...['status', 'runningCount', 'pendingCount', 'deployments', 'events', 'createdAt', 'createdBy', 'taskSets'],
  ...['currentServiceDeployment', 'currentServiceRevisions', 'roleArn'],
])

function remarksOnTheRest(service: Service, path: string): Remark[] {
  const { deploymentConfiguration = {}, loadBalancers = [] } = service
  const stays = 'the service keeps it: releases do not change it'
  const of = (value: Json, known: ReadonlySet<string>, at: string) =>
    Object.keys(value)
      .filter((name) => !known.has(name))
      .map((name) => ({
        path: `${at}${jsonPathSuffix(name)}`,
        why: ofTheMoment.has(name) ? 'runtime state of the service' : stays,
      }))
  return [
    ...of(service, read, path),
    ...of(deploymentConfiguration, readOfConfiguration, `${path}.deploymentConfiguration`),
    ...loadBalancers.slice(1).map((_, index) => ({ path: `${path}.loadBalancers[${index + 1}]`, why: stays })),
  ]
}
