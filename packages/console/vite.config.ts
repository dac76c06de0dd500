import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Pages live below /console, so that no page has the path of an operation of the interface. */
const base = '/console/'

/** Beside each script and style its compressed form: as small as it gets, and no request waits for it to be made. */
const compressed: Plugin = {
  name: 'compressed',
  async writeBundle({ dir = '' }, bundle) {
    const texts = Object.values(bundle).filter(({ fileName }) => /\.(js|css)$/.test(fileName))
    const write = (file: (typeof texts)[number]) =>
      writeFile(join(dir, `${file.fileName}.br`), brotliCompressSync(file.type === 'chunk' ? file.code : file.source))
    await Promise.all(texts.map(write))
  },
}

export default defineConfig({
  base,
  plugins: [react(), compressed],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // What several pages need comes as one file: each request costs a slow line its latency, and browsers make six at a
    // time.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 20 }] } } },
  },
  server: { proxy: { '^/(?!console)': process.env.SLUICE_URL ?? 'http://127.0.0.1:3000' } },
})
