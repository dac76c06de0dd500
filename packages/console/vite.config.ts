import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { licences } from '../../scripts/bundling.ts'

/** Base path of all pages, so that no page has the path of an API operation. */
const base = '/console/'

/** Writes compressed copies of scripts and styles at build time, so that no request waits for compression. */
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
  plugins: [react(), compressed, licences()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 600, // kB; the editor of configurations is loaded where it is used
    // Shared code is one file: each request adds latency on slow networks, and browsers open six connections per
    // host.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 20 }] } } },
  },
  server: { proxy: { '^/(?!console)': process.env.SLUICE_URL ?? 'http://127.0.0.1:3000' } },
})
