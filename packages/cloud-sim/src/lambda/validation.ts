import { CloudError } from '../errors.ts'
import { checkEnvironment } from './environment.ts'
import { invalid } from './records.ts'
import { hasSnapStart, isRetired } from './runtimes.ts'
import type { Settings } from './state.ts'

/** Default ephemeral storage, and its maximum with SnapStart. */
const leastStorageMiB = 512

export function checkSettings(packageType: 'Zip' | 'Image', settings: Settings): void {
  const { Role = '', Runtime, Handler, Timeout = 3, MemorySize = 128 } = settings
  if (!/^arn:aws:iam::\d{12}:role\/.+$/.test(Role)) throw constraint('role', Role, 'must be the ARN of a role')
  if (packageType === 'Zip' && (!Runtime || !Handler)) {
    throw invalid('Runtime and Handler are mandatory parameters for functions created with deployment packages.')
  }
  if (Runtime && isRetired(Runtime)) {
    const message = `The runtime parameter of ${Runtime} is no longer supported for creating or updating AWS Lambda functions. We recommend you use a supported runtime while creating or updating functions.`
    throw invalid(message)
  }
  checkEnvironment(settings.Environment?.Variables ?? {})
  if (packageType === 'Image' && (Runtime || Handler)) {
    throw invalid("Please don't provide Handler or Runtime or Layer when the intended function PackageType is Image.")
  }
  checkSnapStart(packageType, settings)
  if (!(Timeout >= 1 && Timeout <= 900)) throw constraint('timeout', Timeout, 'must be between 1 and 900')
  if (!(MemorySize >= 128 && MemorySize <= 10_240)) {
    throw constraint('memorySize', MemorySize, 'must be between 128 and 10240')
  }
}

/** "Improving startup performance with Lambda SnapStart", developer guide, read 2026-11. */
function checkSnapStart(packageType: 'Zip' | 'Image', { SnapStart, Runtime, EphemeralStorage }: Settings): void {
  if (SnapStart?.ApplyOn !== 'PublishedVersions') return
  if (packageType === 'Image') throw invalid('ContainerImage is not supported for SnapStart enabled functions.')
  if (!hasSnapStart(Runtime ?? '')) throw invalid(`${Runtime} is not supported for SnapStart enabled functions.`)
  if ((EphemeralStorage?.Size ?? leastStorageMiB) > leastStorageMiB) {
    throw invalid(`Ephemeral storage above ${leastStorageMiB} MB is not supported for SnapStart enabled functions.`)
  }
}

export function checkArchitectures(architectures: string[]): void {
  const [only] = architectures
  const isKnown = architectures.length === 1 && (only === 'x86_64' || only === 'arm64')
  if (!isKnown) throw constraint('architectures', architectures.join(), 'must be one of x86_64, arm64')
}

function constraint(field: string, value: unknown, rule: string): CloudError {
  const message = `1 validation error detected: Value '${value}' at '${field}' failed to satisfy constraint: Member ${rule}`
  return new CloudError('ValidationException', message)
}
