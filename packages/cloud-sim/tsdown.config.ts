import { defineConfig } from 'tsdown'
import { modulesByAddress } from '../../scripts/bundling.ts'

export default defineConfig({
  entry: { index: 'src/index.ts', main: 'src/main.ts' },
  platform: 'node',
  target: 'node22',
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  dts: { entry: 'src/index.ts' },
  // Each service reads its model next to its module, and the bundle puts all of them into one folder.
  outputOptions: { chunkFileNames: '[name].js' },
  copy: [{ from: 'src/*/*.model.json', to: 'dist' }],
  plugins: [modulesByAddress()],
})
