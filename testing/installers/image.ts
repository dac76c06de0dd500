import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from './commands.ts'

/** What containers are started from. */
export type Image = {
  /** Directories that make up the root, the uppermost first. */
  layers: string[]
  entrypoint: string[]
  command: string[]
  env: Record<string, string>
  /** `user[:group]`, by name or number. Root if empty. */
  user: string
  workingDirectory: string
}

type OciConfig = { Entrypoint?: string[]; Cmd?: string[]; Env?: string[]; User?: string; WorkingDir?: string }

/** Loads an image that `scripts/build-images` built, with the root of its working container. */
export async function builtImage(directory: string, name: string): Promise<Image> {
  const storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'run')]
  const root = (await command('buildah', ...storage, 'mount', name)).trim()
  const inspected = await command('buildah', ...storage, 'inspect', '--type', 'image', name)
  const { config } = (JSON.parse(inspected) as { OCIv1: { config: OciConfig } }).OCIv1
  return {
    layers: [root],
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    env: Object.fromEntries((config.Env ?? []).map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string])),
    user: config.User ?? '',
    workingDirectory: config.WorkingDir || '/',
  }
}

/** Programs of this machine in the place of images that only a registry has. */
export type StandInPrograms = {
  /** A directory to make the layers in. */
  directory: string
  restateServer: string
  restatectl: string
  /** Debian's packages `nginx` and `nginx-common`, unpacked. */
  nginx: string
}

/**
 * Returns what stands in for the images of PostgreSQL, nginx and the engine: the root of this machine, with the
 * programs at the paths that those images have them at, and with their entry points and users.
 */
export async function standInImages(
  programs: StandInPrograms,
): Promise<Record<'postgres' | 'nginx' | 'restate', Image>> {
  const { directory, restateServer, restatectl, nginx } = programs
  const bin = 'usr/local/bin'
  const layer = async (name: string, files: Record<string, string>, folders: string[] = []) => {
    const path = join(directory, name)
    for (const folder of [bin, ...folders]) await mkdir(join(path, folder), { recursive: true })
    for (const [file, source] of Object.entries(files)) await command('cp', source, join(path, bin, file))
    return path
  }
  const postgresEntrypoint = new URL('./postgres-entrypoint', import.meta.url).pathname
  const postgres = await layer('postgres', { 'docker-entrypoint.sh': postgresEntrypoint }, ['var/lib/postgresql/data'])
  const restate = await layer('restate', { 'restate-server': restateServer, restatectl })
  // That of Debian reads more places than the image's.
  await writeFile(join(nginx, 'etc/nginx/nginx.conf'), nginxConfiguration)
  const servers = (await command('pg_config', '--bindir')).trim()
  const path = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
  const image = { command: [], user: '', workingDirectory: '/' }
  return {
    postgres: {
      ...image,
      layers: [postgres, '/'],
      entrypoint: ['docker-entrypoint.sh'],
      env: { PATH: `${path}:${servers}`, PGDATA: '/var/lib/postgresql/data', LANG: 'C.UTF-8' },
    },
    nginx: {
      ...image,
      layers: [nginx, '/'],
      entrypoint: [],
      command: ['nginx', '-g', 'daemon off;'],
      env: { PATH: path },
    },
    restate: { ...image, layers: [restate, '/'], entrypoint: ['/usr/local/bin/restate-server'], env: { PATH: path } },
  }
}

/** As in the image of nginx, as far as `conf.d` sees it; the user is Debian's. */
const nginxConfiguration = `
user www-data;
pid /run/nginx.pid;
error_log /dev/stderr notice;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log /dev/stdout;
  sendfile on;
  keepalive_timeout 65;
  include /etc/nginx/conf.d/*.conf;
}
`
