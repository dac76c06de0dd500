import type { Archive } from '../archive/archive.ts'
import type { Metrics } from './metrics.ts'

export function measureArchive(archive: Archive, { archiveCalls }: Metrics): Archive {
  async function counted<T>(operation: 'put' | 'get' | 'remove', call: Promise<T>): Promise<T> {
    try {
      const result = await call
      archiveCalls.inc({ operation, result: 'ok' })
      return result
    } catch (error) {
      archiveCalls.inc({ operation, result: 'failed' })
      throw error
    }
  }
  return {
    place: archive.place,
    put: (key, bytes) => counted('put', archive.put(key, bytes)),
    get: (key) => counted('get', archive.get(key)),
    remove: (keys) => counted('remove', archive.remove(keys)),
    close: () => archive.close(),
  }
}
