import type { ContainerDefinition, PortMapping, RegisterTaskDefinitionRequest } from '@aws-sdk/client-ecs'
import { clientException } from '../errors.ts'

/** Checks ports and host names of containers against the network mode. */
export function checkPorts({ networkMode, containerDefinitions = [] }: RegisterTaskDefinitionRequest): void {
  const taken = new Set<string>()
  const names = new Set<string>()
  for (const container of containerDefinitions) {
    checkNetworking(networkMode, container)
    for (const mapping of container.portMappings ?? []) {
      checkMapping(networkMode, container.name ?? '', mapping)
      if (mapping.name !== undefined && names.has(mapping.name)) {
        throw clientException(`The name of a port mapping must be unique in the task definition: ${mapping.name}.`)
      }
      if (mapping.name !== undefined) names.add(mapping.name)
      const hostPort = networkMode === 'awsvpc' || networkMode === 'host' ? mapping.containerPort : mapping.hostPort
      if (!hostPort) continue
      const place = `${hostPort}/${mapping.protocol ?? 'tcp'}`
      if (taken.has(place)) throw clientException(`Only one container can have the host port ${place}.`)
      taken.add(place)
    }
  }
}

/**
 * Checks network settings: containers that share a network interface share its name and reach each other at localhost.
 */
function checkNetworking(networkMode: string | undefined, container: ContainerDefinition): void {
  const { links = [], hostname, dnsServers = [], extraHosts = [], portMappings = [] } = container
  if (networkMode === 'none' && portMappings.length > 0) {
    throw clientException('Port mappings are not supported when networkMode=none.')
  }
  if (networkMode !== 'awsvpc') return
  if (links.length > 0) throw clientException('Links are not supported when networkMode=awsvpc.')
  if (hostname) throw clientException('hostname is not supported on container when networkMode=awsvpc.')
  if (dnsServers.length > 0) throw clientException('dnsServers is not supported on container when networkMode=awsvpc.')
  if (extraHosts.length > 0) throw clientException('extraHosts is not supported on container when networkMode=awsvpc.')
}

function checkMapping(networkMode: string | undefined, container: string, mapping: PortMapping): void {
  const { containerPort, containerPortRange, hostPort } = mapping
  if (containerPortRange !== undefined && containerPort !== undefined) {
    throw clientException('Only one of containerPort and containerPortRange can be set.')
  }
  if (containerPortRange !== undefined) return
  if (containerPort === undefined || containerPort < 1 || containerPort > 65_535) {
    throw clientException(`Invalid 'containerPort' setting for container '${container}'.`)
  }
  if (hostPort !== undefined && (hostPort < 0 || hostPort > 65_535)) {
    throw clientException(`Invalid 'hostPort' setting for container '${container}'.`)
  }
  const isSame = networkMode === 'awsvpc' || networkMode === 'host'
  if (isSame && hostPort && hostPort !== containerPort) {
    throw clientException(
      `When networkMode=${networkMode}, the host ports and container ports in port mappings must match.`,
    )
  }
}
