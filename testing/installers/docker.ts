import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Container, defaultCapabilities, type Mount } from './container.ts'
import { builtImage } from './image.ts'
import { NetworkNamespace } from './network.ts'

// Substitute for `docker run` in deploy/compose/prepare, limited to the options that it uses: node docker.ts run …
// IMAGE ARGUMENT … Its container is deleted with the temporary directory of the suite.

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    rm: { type: 'boolean' },
    interactive: { type: 'boolean' },
    user: { type: 'string' },
    volume: { type: 'string', multiple: true, default: [] },
  },
})
const [subcommand, name, ...args] = positionals
if (subcommand !== 'run' || name !== 'sluice') throw new Error(`docker ${process.argv.slice(2).join(' ')} is not known`)

const image = await builtImage(process.env.SLUICE_TEST_IMAGES ?? '', 'sluice-server')
const directory = await mkdtemp(join(tmpdir(), 'docker-'))
const network = await NetworkNamespace.create()
const mounts = values.volume.map((text): Mount => {
  const [source = '', target = '', mode] = text.split(':')
  return { type: 'bind', source, target, isReadOnly: mode === 'ro' }
})
const container = new Container(
  {
    name: 'run',
    image,
    args: [...image.entrypoint, ...args],
    env: {},
    user: values.user,
    mounts,
    isRootReadOnly: false,
    capabilities: defaultCapabilities,
    hasNewPrivileges: true,
    network,
    resolvConf: '',
    hosts: '127.0.0.1 localhost\n',
  },
  directory,
)
await container.start()
process.exitCode = (await container.ended()) ?? 1
const output = await container.log(1_000)
if (process.exitCode === 0) console.log(output)
else console.error(output)
network.release()
