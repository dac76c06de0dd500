import { services } from '../src/services.ts'

// Says which operations are simulated, by the name that requests are signed for: what generate.py makes models of.
console.log(
  JSON.stringify(
    Object.fromEntries(Object.entries(services).map(([name, { operations }]) => [name, [...operations.keys()]])),
  ),
)
