import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from './commands.ts'

/** Container image with its unpacked layers. */
export type Image = {
  /** Directories of the layers, uppermost first. */
  layers: string[]
  entrypoint: string[]
  command: string[]
  env: Record<string, string>
  /** `user[:group]`, by name or number. Root if empty. */
  user: string
  workingDirectory: string
}

type OciConfig = { Entrypoint?: string[]; Cmd?: string[]; Env?: string[]; User?: string; WorkingDir?: string }

/** Loads an image built by `scripts/build-images`, and the path of its container's root file system. */
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

/** Local programs that replace images from a registry. */
export type StandInPrograms = {
  /** Directory in which the layers are created. */
  directory: string
  restateServer: string
  restatectl: string
  /** Unpacked Debian packages `nginx` and `nginx-common`. */
  nginx: string
}

/**
 * Returns substitutes for the images of PostgreSQL, nginx and the engine: the root of this machine, with programs,
 * entry points and users as in those images.
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
  // Debian's configuration includes more directories than the image's.
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

/** Configuration of the nginx image as seen from `conf.d`, with Debian's user. */
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
