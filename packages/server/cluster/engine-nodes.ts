import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProgramProcess } from '../crash/program-process.ts'
import { ask } from '../src/platform/engine/address.ts'
import { askEveryPartition } from '../src/platform/engine/admin.ts'
import { openEngineIdentity } from '../src/platform/engine/identity.ts'
import { binaryPath, dieWithParent } from '../src/platform/engine/server-process.ts'
import { eventually } from '../src/testing/eventually.ts'

/** Shipped configuration. The environment of each node overrides what differs on a single machine. */
const configuration = fileURLToPath(new URL('../../../deploy/compose/engine.toml', import.meta.url))

export type EngineNode = { name: string; process: ProgramProcess; ingressPort: number; adminPort: number }

export type EngineNodes = { nodes: EngineNode[]; publicKey: string }

/** Bucket for snapshots, from which nodes are rebuilt. Snapshots also allow the nodes to trim their logs. */
export type SnapshotPlace = {
  bucket: string
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** Starts three engine nodes with two copies of all data. Resolves when they accept work. */
export async function startEngineNodes(
  directory: string,
  ports: { fabric: number; ingress: number; admin: number }[],
  snapshots: SnapshotPlace,
): Promise<EngineNodes> {
  const { keyFile, publicKey } = await openEngineIdentity(join(directory, 'identity.pem'))
  const addresses = ports.map(({ fabric }) => `"http://127.0.0.1:${fabric}"`).join(', ')
  const nodes: EngineNode[] = []
  for (const [index, { fabric, ingress, admin }] of ports.entries()) {
    const name = `engine-${index + 1}`
    const place = join(directory, name)
    await mkdir(join(place, 'tmp'), { recursive: true })
    const process = new ProgramProcess({
      command: 'env',
      args: [...dieWithParent(), binaryPath(), '--no-logo', '--config-file', configuration, '--base-dir', place],
      logFile: join(directory, `${name}.log`),
      isKept: true,
      env: {
        TMPDIR: join(place, 'tmp'),
        RESTATE_NODE_NAME: name,
        RESTATE_AUTO_PROVISION: String(index === 0),
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_BIND_PORT: String(fabric),
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${fabric}`,
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_METADATA_CLIENT__ADDRESSES: `[${addresses}]`,
        RESTATE_DEFAULT_NUM_PARTITIONS: '4', // suits few processors
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128 MiB',
        RESTATE_WORKER__INVOKER__MEMORY_LIMIT: '256 MiB',
        RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: keyFile,
        RESTATE_WORKER__SNAPSHOTS__DESTINATION: `s3://${snapshots.bucket}/sluice`,
        RESTATE_WORKER__SNAPSHOTS__SNAPSHOT_INTERVAL_NUM_RECORDS: '1000',
        RESTATE_WORKER__SNAPSHOTS__AWS_REGION: snapshots.region,
        RESTATE_WORKER__SNAPSHOTS__AWS_ENDPOINT_URL: snapshots.endpoint,
        RESTATE_WORKER__SNAPSHOTS__AWS_ALLOW_HTTP: 'true',
        RESTATE_WORKER__SNAPSHOTS__AWS_ACCESS_KEY_ID: snapshots.accessKeyId,
        RESTATE_WORKER__SNAPSHOTS__AWS_SECRET_ACCESS_KEY: snapshots.secretAccessKey,
        RESTATE_LOG_FILTER: 'warn,restate=info,octocrab=off',
        RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
      },
    })
    process.start()
    nodes.push({ name, process, ingressPort: ingress, adminPort: admin })
  }
  for (const node of nodes) await eventually(`${node.name} to take work`, () => takesWork(node), Boolean)
  return { nodes, publicKey }
}

/** Reports whether a node answers and finds every partition of the data. */
export async function takesWork({ ingressPort, adminPort }: EngineNode): Promise<boolean> {
  const [ingress, admin] = [ingressPort, adminPort].map((port) => ({ url: `http://127.0.0.1:${port}` }))
  try {
    const { status } = await ask(ingress ?? { url: '' }, '/restate/health', { withinMs: 1_000 })
    await askEveryPartition(admin ?? { url: '' })
    return status === 200
  } catch {
    return false
  }
}
