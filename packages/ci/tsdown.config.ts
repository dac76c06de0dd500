import { defineConfig } from 'tsdown'
import { licences, modulesByAddress } from '../../scripts/bundling.ts'

export default defineConfig({
  entry: { release: 'src/main.ts', 'project-files': 'src/project-files/main.ts' },
  platform: 'node',
  target: 'node24',
  dts: false,
  // All of it: a host fetches the action and starts it, and installs nothing.
  deps: { alwaysBundle: [/./], onlyBundle: false },
  plugins: [modulesByAddress(), licences()],
})
