import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Pages live below /console, so that no page has the path of an operation of the interface. */
const base = '/console/'

export default defineConfig({
  base,
  plugins: [react()],
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022', cssTarget: ['chrome123', 'firefox120', 'safari17.5'] },
  server: { proxy: { '^/(?!console)': process.env.SLUICE_URL ?? 'http://127.0.0.1:3000' } },
})
