import { relative } from 'node:path'
import ts from 'typescript'
import { unknownProperties } from './properties.ts'

// Finds properties of object literals that the expected type does not have and the compiler does not reject, such as a
// property that kept its name in a callback while the type renamed it: `npm run lint:properties`. Tests are left out:
// they fail when they run.

const problems = ['tsconfig.json', 'packages/console/tsconfig.json', 'packages/guide/tsconfig.json'].flatMap((path) => {
  return unknownProperties(programOf(path), (file) => !/[/]node_modules[/]|[.]generated[.]/.test(file) && !isTest(file))
})
for (const { file, line, name, expected } of problems) {
  const place = `${relative(process.cwd(), file.fileName)}:${line}`
  console.error(`${place}: ${expected} has no property ${name}. Use the property's present name, or remove it.`)
}
if (problems.length > 0) process.exitCode = 1

function isTest(file: string): boolean {
  return /[.]test[.]tsx?$/.test(file)
}

function programOf(path: string): ts.Program {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
    },
  }
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, host)
  if (!config) throw new Error(`${path} cannot be read`)
  return ts.createProgram(
    config.fileNames.filter((file) => !isTest(file)),
    config.options,
  )
}
