import { defineConfig } from 'tsdown'
import { licences, modulesByAddress } from '../../scripts/bundling.ts'

export default defineConfig({
  entry: { release: 'src/main.ts', 'project-files': 'src/project-files/main.ts' },
  platform: 'node',
  target: 'node24',
  dts: false,
  // Bundles all dependencies, because a host starts the action without installing anything.
  deps: { alwaysBundle: [/./], onlyBundle: false },
  plugins: [modulesByAddress(), licences()],
})
