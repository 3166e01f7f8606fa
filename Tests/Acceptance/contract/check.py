"""Checks the contract: schemas, AsyncAPI document, examples, Protocol Buffers file, and that the gateway keeps to them."""
import base64
import collections
import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import frames
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[3]
CONTRACT = ROOT / "docs/contract"
GENERATED = 2000
CLASSES = 20
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)
        print(f"  FAILED {text}")


def load(path):
    return json.loads(path.read_text())


def walk(value):
    yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from walk(member)


class Schemas:
    """The schemas by their path below docs/contract/schemas, and a validator for each."""

    def __init__(self):
        folder = CONTRACT / "schemas"
        self.documents = {str(path.relative_to(folder)): load(path) for path in sorted(folder.rglob("*.json"))}
        registry = Registry().with_resources(
            [(schema["$id"], Resource.from_contents(schema)) for schema in self.documents.values()])
        self.validators = {path: Draft202012Validator(schema, registry=registry) for path, schema in self.documents.items()}
        for path, schema in self.documents.items():
            Draft202012Validator.check_schema(schema)
            resolver = registry.resolver(base_uri=schema["$id"])
            for part in walk(schema):
                if isinstance(part, dict) and "$ref" in part:
                    resolver.lookup(part["$ref"])
        self.by_topic = [(self.levels(schema["x-mqtt"]["topic"]), path)
                         for path, schema in self.documents.items() if path.startswith(("in/", "out/"))]

    @staticmethod
    def levels(topic):
        levels = topic.split("/")
        starts = [index for index, level in enumerate(levels) if level in ("in", "out")]
        return levels[starts[-1]:] if starts else levels

    def of_topic(self, topic):
        own = self.levels(topic)
        for levels, path in self.by_topic:
            # The level of an alarm is one or two levels of the topic.
            is_parted = levels[-1] == "{level}" and len(levels) + 1 == len(own)
            if (is_parted or len(levels) == len(own)) and all(a == b or a.startswith("{") for a, b in zip(levels, own)):
                return path
        return None

    def errors(self, path, value):
        return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                for error in self.validators[path].iter_errors(value)]


def check_asyncapi(schemas):
    document = yaml.safe_load((CONTRACT / "asyncapi.yaml").read_text())
    expect(document["asyncapi"] == "3.0.0", "asyncapi.yaml is of version 3.0.0")
    for part in walk(document):
        reference = part.get("$ref") if isinstance(part, dict) else None
        if reference is None:
            continue
        if reference.startswith("./"):
            expect((CONTRACT / reference).is_file(), f"asyncapi.yaml: {reference} is a file")
            continue
        target = document
        for token in reference.split("/")[1:]:
            target = target.get(token, {}) if isinstance(target, dict) else {}
        expect(target != {}, f"asyncapi.yaml: {reference} refers to something")
    addressed = set()
    for name, channel in document["channels"].items():
        parameters = re.findall(r"\{(\w+)\}", channel["address"] or "")
        expect(parameters == list(channel.get("parameters", [])), f"asyncapi.yaml: {name} declares the parameters of its address")
        addressed.add(channel["address"])
    # A reply goes to the address that the request names.
    topics = {None if path.startswith("reply/") else schema["x-mqtt"]["topic"]
              for path, schema in schemas.documents.items() if "x-mqtt" in schema}
    expect(addressed == topics, f"asyncapi.yaml has a channel for each schema: {addressed ^ topics}")
    used, replies = collections.Counter(), set()
    by_topic = {schema["x-mqtt"]["topic"]: (path, schema["x-mqtt"])
                for path, schema in schemas.documents.items() if "x-mqtt" in schema}
    for name, operation in document["operations"].items():
        channel = operation["channel"]["$ref"].rsplit("/", 1)[1]
        used[channel] += 1
        path, mqtt = by_topic[document["channels"][channel]["address"]]
        is_in = path.startswith(("in/", "query/")) or mqtt.get("received", False)
        expect(operation["action"] == ("receive" if is_in else "send"), f"asyncapi.yaml: the action of {name}")
        expect(operation["bindings"]["mqtt"]["qos"] == mqtt["qos"], f"asyncapi.yaml: the QoS of {name}")
        if path.startswith("query/"):
            reply = operation["reply"]["channel"]["$ref"].rsplit("/", 1)[1]
            replies.add(reply)
            answers = {message["$ref"].rsplit("/", 1)[1] for message in operation["reply"]["messages"]}
            expect(answers == {"replyError", f"reply{path[6:-5].capitalize()}"}, f"asyncapi.yaml: the replies to {path}")
    # All requests are answered on the channel of replies.
    expect(len(replies) == 1, "asyncapi.yaml has one channel of replies")
    used.update(replies)
    expect(used == collections.Counter(document["channels"].keys()),
           f"asyncapi.yaml has one operation for each channel: {used - collections.Counter(document['channels'].keys())}")
    print(f"asyncapi.yaml: {len(addressed)} channels")


def mutants(value):
    """Copies with one value replaced by one of a type that nothing expects; of a list only the first element."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else []
    for key, member in items:
        # An object that may hold anything accepts other objects.
        wrong = "mutant" if isinstance(member, dict) else {"mutant": True}
        for place, mutant in [("", wrong), *mutants(member)]:
            changed = copy.copy(value)
            changed[key] = mutant
            yield f"/{key}{place}", changed


def check_examples(schemas):
    count = mutated = 0
    for folder in ("in", "out", "gateway", "query", "reply", "homeassistant"):
        for path in sorted((CONTRACT / "examples" / folder).rglob("*.json")):
            name = str(path.parent.relative_to(CONTRACT / "examples")) + ".json"
            example = load(path)
            expect(not schemas.errors(name, example), f"{path.name} is valid: {schemas.errors(name, example)}")
            count += 1
            for place, mutant in mutants(example):
                mutated += 1
                expect(not schemas.validators[name].is_valid(mutant), f"{path} with another type at {place} is refused")
            for key in schemas.documents[name].get("required", []):
                mutant = {other: value for other, value in example.items() if other != key}
                expect(not schemas.validators[name].is_valid(mutant), f"{path} without {key} is refused")
            is_open = schemas.validators[name].is_valid({**example, "mutant": 1})
            expect(is_open == (folder == "in"), f"{path}: unknown keys are {'ignored' if is_open else 'refused'}")
    print(f"examples: {count} are valid, {mutated} mutants of them are refused")


def replay(fathom, lines, *arguments):
    run = subprocess.run([fathom, "replay", "-", *arguments], input="\n".join(lines) + "\n", capture_output=True, text=True)
    expect(run.returncode == 0, f"fathom replay: {run.stderr[:300]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def check_bad_frames(fathom):
    count = 0
    for path in sorted(CONTRACT.glob("examples/re*ed*/*.json")):
        # A replay keeps a history of its own; the gateway's tests have this frame.
        if path.name == "notStored.json":
            continue
        case = load(path)
        lines = []
        for message in case["messages"]:
            message = dict(message)
            if "payloadText" in message:
                message["payloadBase64"] = base64.b64encode(message.pop("payloadText").encode()).decode()
            lines.append(json.dumps(message))
        arguments = [f"--set={key}={value}" for key, value in case.get("settings", {}).items()]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as registry:
            if "registry" in case:
                registry.write(case["registry"])
                registry.flush()
                arguments.append(f"--set=registry.file={registry.name}")
            found = replay(fathom, lines, *arguments)
        expected = case["expected"]
        expect(any(message["topic"] == expected["topic"] and expected["payload"].items() <= message["payload"].items()
                   for message in found), f"{path.parent.name}/{path.name} gives {expected['payload']}")
        count += 1
    print(f"bad frames: {count} give their reason and place")


def check_fleet(schemas, fathom):
    """Everything that a simulated fleet sends, and everything that is published for it."""
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/fleet.ndjson"
        subprocess.run([fathom, "simulate", "--count", "8", "--duration", "60", "--seed", "11", "--start", "1763749000",
                        "--record", recording], check=True, capture_output=True)
        sent = Path(recording).read_text().splitlines()
    published = replay(fathom, sent, "--set=derive.swingTrace.enabled=true", "--set=derive.orientation.enabled=true")
    topics = collections.Counter()
    for message in [json.loads(line) for line in sent] + published:
        if not message.get("payload"):
            continue
        path = schemas.of_topic(message["topic"])
        expect(path is not None, f"{message['topic']} has a schema")
        topics[path] += 1
        if path:
            expect(not schemas.errors(path, message["payload"]), f"{message['topic']}: {schemas.errors(path, message['payload'])}")
    print(f"a simulated fleet: {sum(topics.values())} messages of {len(topics)} schemas are valid")


def check_generated(schemas, fathom):
    page = (ROOT / "docs/wire-contract.md").read_text()
    rules = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page.split("## Checks beyond the schema")[1].split("\n## ")[0], re.M)
    expect(len(rules) >= 8, "wire-contract.md lists the rules that a schema cannot express")
    streams = [path for path in schemas.documents if path.startswith("in/")]
    cases = []
    known = {}
    for path in streams:
        schema = frames.inlined(schemas.documents[path], schemas.documents)
        key = json.dumps(schema, sort_keys=True)
        if key not in known:
            known[key] = frames.generated(schema, GENERATED // len(streams) // 2)
        for value in known[key]:
            cases += [(path, value), (path, frames.repaired(value))]
    for path, value in cases:
        expect(schemas.validators[path].is_valid(value), f"{path} accepts what was generated from it")
    found = frames.rejections(fathom, [(path[len("in/"):-len(".json")], value) for path, value in cases])
    outcomes = collections.Counter(rejection[0] if rejection else "accepted" for rejection in found)
    for (path, value), rejection in zip(cases, found):
        expect(rejection is None or frames.is_listed(rejection, rules), f"{path}: {rejection} for {json.dumps(value)[:200]}")
    expect(outcomes["accepted"] > len(cases) * 0.4, "most generated frames are accepted")
    print(f"generated frames: {len(cases)}, {', '.join(f'{count} {name}' for name, count in outcomes.most_common())}")


def check_protobuf(schemas):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["protoc", f"-I{CONTRACT}", f"--descriptor_set_out={folder}/set", "wearables.proto"],
                             capture_output=True, text=True)
        expect(run.returncode == 0, f"protoc: {run.stderr}")
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
        descriptors = FileDescriptorSet.FromString(Path(f"{folder}/set").read_bytes())
    names = {name for path, schema in schemas.documents.items() if path.startswith("in/") or path.startswith("common/")
             for part in walk(schema) if isinstance(part, dict) for name in part.get("properties", {})}
    # The body of a frame is chosen by its stream; columns, lists and activities have forms that JSON writes in another way.
    other = {"headphoneConnection", "batchedImu", "submersion", "status", "workout", "recordedAccelerometer", "pedometer", "altimeter",
             "movementDisorder", "deltaMicroseconds", "packed", "scale", "activityType"}
    count = 0
    for message in descriptors.file[0].message_type:
        for part in [message, *[nested for nested in message.nested_type if not nested.options.map_entry]]:
            for field in part.field:
                # Timestamps are a list, or an object with start and interval; entitlements are a list.
                known = field.json_name in names | other or (part.name, field.name) in {("Timestamps", "value"), ("Entitlements", "value")}
                expect(known, f"{part.name}.{field.json_name} is a name of the JSON contract")
                count += 1
    print(f"wearables.proto: {count} fields have the names of the JSON contract")


def check_generator(schemas):
    """A generator makes few classes of each schema, so that people can read what it writes."""
    tool = Path(sys.executable).parent / "datamodel-codegen"
    counts = {}

    def classes(path, kind):
        with tempfile.TemporaryDirectory() as folder:
            # The warning is that shared schemas are in another folder.
            run = subprocess.run([tool, "--input", path, "--input-file-type", kind, "--allow-remote-refs", "--output", f"{folder}/types.py"],
                                 capture_output=True, text=True)
            expect(run.returncode == 0, f"datamodel-codegen: {path}: {run.stderr[-300:]}")
            return len(re.findall("^class ", Path(f"{folder}/types.py").read_text(), re.M)) if run.returncode == 0 else 0

    for path in schemas.documents:
        if not path.startswith("common/"):
            counts[path] = classes(CONTRACT / "schemas" / path, "jsonschema")
            expect(counts[path] <= CLASSES, f"{path} gives {counts[path]} classes, at most {CLASSES} are wanted")
    most = max(counts, key=counts.get)
    print(f"datamodel-codegen: at most {counts[most]} classes, of {most}; "
          f"{classes(CONTRACT / 'asyncapi.yaml', 'asyncapi')} of all messages in asyncapi.yaml")


schemas = Schemas()
print(f"schemas: {len(schemas.documents)} are valid, their references lead somewhere")
check_asyncapi(schemas)
check_examples(schemas)
check_bad_frames(sys.argv[1])
check_fleet(schemas, sys.argv[1])
check_protobuf(schemas)
check_generator(schemas)
check_generated(schemas, sys.argv[1])
sys.exit(1 if problems else 0)
