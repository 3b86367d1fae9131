package io.partitionbridge.control;

/** Turns the end of a process of the bridge into a message that says what to do (I11). */
final class DeathNotice {

    private DeathNotice() {}

    /**
     * @param role "writer", "metastore" or "policy"
     */
    static WriterFailure of(
            String role, String label, String python, int exitCode, String lastWords) {
        String missing = missingModule(lastWords);
        if (missing != null) {
            return new WriterFailure(
                    WriterFailure.Kind.CONFIGURATION,
                    "The "
                            + role
                            + " of "
                            + label
                            + " can't run: the interpreter '"
                            + python
                            + "' has no module "
                            + missing
                            + ". Run '"
                            + python
                            + " -m pip install flink-partition-bridge' on every TaskManager, or set"
                            + " 'python.executable' to an interpreter that has it."
                            + quoted(lastWords));
        }
        String how =
                exitCode > 128
                        ? "was ended by signal " + (exitCode - 128)
                        : "exited with code " + exitCode;
        return new WriterFailure(
                WriterFailure.Kind.RETRY,
                "The " + role + " process of " + label + " " + how + "." + quoted(lastWords));
    }

    private static String quoted(String lastWords) {
        return lastWords.isBlank()
                ? " It left no words on its standard error."
                : " Its last words:\n" + lastWords + "\n";
    }

    private static String missingModule(String lastWords) {
        for (String module :
                new String[] {"partition_bridge", "pyarrow", "boto3", "botocore", "py4j"}) {
            if (lastWords.contains("No module named '" + module)
                    || lastWords.contains("No module named " + module)) {
                return module;
            }
        }
        return null;
    }
}
